#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "core/error.hpp"
#include "hamiltonian/direct/cuda/mixed_product_cuda.cuh"
#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve::mixed_product {

/// One excitation of each spin with its tables on the device: what mixed_product_cuda.cuh takes
/// together, and the sizes that fit.
class Operator {
 public:
  /// Operator for vectors in which only the `betas` are not zero. Rows of alpha strings of irrep g
  /// are ld[g] apart in vectors, and begin at base[g], both even. Tables and strings must outlive
  /// it.
  Operator(const DirectTables& tables, const BetaRanges& betas,
           const std::array<std::int64_t, most_irreps>& base,
           const std::array<Index, most_irreps>& ld, const AlphaStrings& alphas, Backend& backend)
      : tables_(tables), betas_(betas), base_(base), ld_(ld) {
    problem_.strings = alphas.strings;
    problem_.links_begin = alphas.links_begin;
    problem_.links = alphas.links;
    find_sizes();
    if (steps_of_rows_ == 0) return;
    fit_shared_memory();
    upload(backend);
  }

  /// Bytes on the device.
  std::size_t bytes() const {
    std::size_t sum = irrep_of_.size() + passes_.size() * sizeof(Pass);
    for (const Buffer<double>& v : v_) sum += v.size() * sizeof(double);
    for (const auto& [of, tiles] : on_device_) {
      sum += (tiles.step_from.size() + tiles.tile_from.size() + tiles.begin.size() +
              tiles.words.size()) *
             sizeof(std::uint32_t);
    }
    return sum;
  }

  /// σ += H_αβ c for alpha strings `own`, or, where `lower`, for b ≤ a alone, half of it for b = a.
  void add(const double* c, double* sigma, const StringRange& own, bool lower) const {
    const DirectStrings& alphas = tables_.layout.alpha_strings;
    if (steps_of_rows_ == 0 || own.size() == 0) return;
    Problem p = problem_;
    p.c = c;
    p.lower = lower;
    p.last_alpha = own.last - 1;
    for (int g = 0; g < most_irreps; ++g) {
      p.targets[g] = {sigma + base_[g] + column(g),
                      ld_[g],
                      alphas.begin[g],
                      betas_[g].first,
                      betas_[g].size(),
                      first_pass_[g],
                      first_pass_[g + 1]};
    }
    const dim3 grid(own.size(), sections_);
    const int threads = 32 * (p.multiplying + p.adding + loaders(ks_));
    with_rows([&]<int KS>() {
      allow_shared_memory(reinterpret_cast<const void*>(multiply<KS>));
      multiply<KS><<<grid, threads, Memory(p).bytes()>>>(p);
    });
    check_launch("one excitation of each spin");
  }

 private:
  static constexpr int least_adding = 4;  ///< warps: what the others make is added up in time
  static constexpr int most_adding = 12;

  /// Numbers of slots of G, of lists and of halves of a tile of c, the most first.
  struct SlotCounts {
    int g, lists, c;
  };
  static constexpr std::array<SlotCounts, 5> slot_counts{
      {{3, 3, 6}, {3, 3, 4}, {2, 3, 4}, {2, 2, 4}, {2, 2, 3}}};
  void set_slots(const SlotCounts& slots) {
    problem_.g_slots = slots.g;
    problem_.list_slots = slots.lists;
    problem_.c_slots = slots.c;
  }

  template <class Visit>
  void with_rows(Visit visit) const {
    if (ks_ == 5) visit.template operator()<5>();
    if (ks_ == 9) visit.template operator()<9>();
    if (ks_ == 13) visit.template operator()<13>();
    if (ks_ == 17) visit.template operator()<17>();
    if (ks_ == 21) visit.template operator()<21>();
  }

  /// True if there are pairs of irrep h for alpha strings of irrep g.
  bool has(int g, int h) const {
    return tables_.v[h].size() > 0 && tables_.layout.alpha_strings.size(g) > 0 &&
           betas_[g].size() > 0 && betas_[irrep_product(g, h)].size() > 0;
  }
  /// Column of the first of the betas, in rows of alpha strings of irrep g.
  Index column(int g) const {
    return betas_[g].size() > 0 ? betas_[g].first - tables_.layout.betas(g).first : 0;
  }
  int pairs(int h) const { return static_cast<int>(tables_.v[h].cols()); }

  void find_sizes() {
    const DirectStrings& alphas = tables_.layout.alpha_strings;
    for (int g = 0; g < most_irreps; ++g) {
      for (int h = 0; h < most_irreps; ++h) {
        most_rows_[g][h] = 0;
        if (!has(g, h)) continue;
        most_targets_ = std::max(most_targets_, betas_[g].size());
        for (Index a = alphas.begin[g]; a < alphas.begin[g + 1]; ++a) {
          const int rows = static_cast<int>(tables_.alpha_links.of(a, h).size()) + (h == 0);
          most_rows_[g][h] = std::max(most_rows_[g][h], rows);
        }
        steps_of_rows_ = std::max(steps_of_rows_, (most_rows_[g][h] + 3) / 4);
      }
    }
    constexpr int kernels[] = {5, 9, 13, 17, 21};
    const int chunks = (steps_of_rows_ + kernels[4] - 1) / kernels[4];
    for (const int ks : kernels) {
      ks_ = ks;
      if (ks * chunks >= steps_of_rows_) break;
    }
  }

  /// The parts of a pass, and what the kernel is told of them.
  struct PartOfPass {
    TargetTiles::Part of_tiles;
    int first_row;
  };
  struct PassOnHost {
    std::vector<PartOfPass> parts;
    int steps = 0, rows = 0;
    int rows_read = 0;  ///< products go to 16 rows at once
    std::vector<TargetTiles::Part> of_tiles() const {
      std::vector<TargetTiles::Part> all;
      for (const PartOfPass& part : parts) all.push_back(part.of_tiles);
      return all;
    }
  };

  /// The pairs of all irreps for alpha strings of irrep g, as many steps together as a tile has.
  std::vector<PassOnHost> passes_of(int g, int tile_steps) const {
    std::vector<PassOnHost> passes;
    for (int h = 0; h < most_irreps; ++h) {
      if (!has(g, h) || most_rows_[g][h] == 0) continue;
      const int steps = (pairs(h) + step_pairs - 1) / step_pairs;
      const int pieces = (steps + tile_steps - 1) / tile_steps;
      const int steps_of_piece = (steps + pieces - 1) / pieces;
      const int rows = std::min(4 * ks_, (most_rows_[g][h] + 3) / 4 * 4);
      for (int first = 0; first < pairs(h); first += steps_of_piece * step_pairs) {
        TargetTiles::Part part{
            .irrep = h, .first_pair = first, .sources = betas_[irrep_product(g, h)]};
        part.pairs = std::min(steps_of_piece * step_pairs, pairs(h) - first);
        part.lead = column(irrep_product(g, h)) % 2;  // c is read from an even place on
        const bool fits = !passes.empty() && passes.back().steps + part.steps() <= tile_steps &&
                          passes.back().rows + rows <= most_tile_rows;
        if (!fits) passes.emplace_back();
        PassOnHost& pass = passes.back();
        part.first_step = pass.steps;
        pass.parts.push_back({part, pass.rows});
        pass.rows_read =
            std::max(pass.rows_read, pass.rows + std::min((rows + 15) / 16 * 16, 4 * ks_));
        pass.steps += part.steps();
        pass.rows += rows;
      }
    }
    return passes;
  }

  /// Sets the steps of a tile and the targets of a section: all of them, if that leaves room for a
  /// tile of half its steps.
  void fit_shared_memory() {
    const int most = most_shared_memory();
    const int most_steps = most_threads(ks_) / 32 - loaders(ks_) - least_adding;
    const auto left = [&] {
      Problem p = problem_;
      p.section = 0;
      return static_cast<Index>((most - Memory(p).bytes()) / 16 * 2);
    };
    const Index all = std::min(most_targets_, most_section_targets);
    // True with as many slots as there is room for; lists are made only if everything else leaves
    // some.
    const auto fits = [&](Index targets) {
      bool made = false;
      for (const SlotCounts& slots : slot_counts) {
        set_slots(slots);
        if (left() < targets) continue;
        if (!std::exchange(made, true)) make_tiles(all);
        if (left() >= targets) return true;
      }
      return false;
    };
    const auto first_fit = [&](int least_steps, Index targets) {
      for (int steps = most_steps; steps >= least_steps; --steps) {
        plan_passes(steps);
        if (problem_.tile_steps < steps && steps > least_steps) continue;  // comes again
        if (fits(targets)) return true;
      }
      return false;
    };
    if (!first_fit((most_steps + 1) / 2, all)) {
      if (!first_fit(1, std::min<Index>(all, 1024))) {
        throw ResourceError("direct products: " + std::to_string(most) +
                            " bytes of shared memory are too few; operator: stored needs none");
      }
      // Every section makes its own part of G, so few sections are preferred to few waits.
      const auto sections_with = [&](const SlotCounts& slots) {
        set_slots(slots);
        const Index room = std::min(all, left());
        return room > 0 ? sections(room) : all;
      };
      const int fewest = sections_with(slot_counts.back());
      for (const SlotCounts& slots : slot_counts) {
        if (sections_with(slots) == fewest) break;
      }
    }
    sections_ = sections(std::min(all, left()));
    problem_.section = ((most_targets_ + sections_ - 1) / sections_ + 1) / 2 * 2;
    if (sections_ > 1) make_tiles(problem_.section);
  }

  int sections(Index targets) const { return (most_targets_ + targets - 1) / targets; }

  /// Key: the pairs' irrep, first pair and first source of the parts, and first target.
  using Key = std::vector<std::array<Index, 3>>;
  Key key(int g, const PassOnHost& pass) const {
    Key made{{betas_[g].first, 0, 0}};
    for (const auto& [part, row] : pass.parts) {
      made.push_back({part.irrep, part.first_pair, part.sources.first});
    }
    return made;
  }

  void plan_passes(int tile_steps) {
    problem_.list_words = problem_.tile_rows = problem_.tile_steps = 0;
    for (int g = 0; g < most_irreps; ++g) {
      passes_on_host_[g] = passes_of(g, tile_steps);
      for (const PassOnHost& pass : passes_on_host_[g]) {
        problem_.tile_steps = std::max(problem_.tile_steps, pass.steps);
        problem_.tile_rows = std::max(problem_.tile_rows, pass.rows_read);
      }
    }
    const int warps = most_threads(ks_) / 32 - loaders(ks_), steps = problem_.tile_steps;
    const int even = Share::warps_for(steps);
    problem_.multiplying = warps - even < least_adding ? steps : even;
    problem_.adding = std::min(most_adding, warps - problem_.multiplying);
  }

  /// The lists of the passes that are planned.
  void make_tiles(Index section) {
    tiles_.clear();
    problem_.list_words = 0;
    for (int g = 0; g < most_irreps; ++g) {
      for (const PassOnHost& pass : passes_on_host_[g]) {
        if (tiles_.contains(key(g, pass))) continue;
        const auto& made =
            tiles_
                .try_emplace(key(g, pass), tables_.beta_links, pass.of_tiles(), betas_[g],
                             problem_.tile_steps, section, problem_.adding)
                .first->second;
        problem_.list_words = std::max(problem_.list_words, static_cast<int>(made.most_words()));
      }
    }
  }

  void upload(Backend& backend) {
    const DirectStrings& alphas = tables_.layout.alpha_strings;
    irrep_of_ = Buffer<std::int8_t>::from_host(backend, alphas.irrep_of);
    for (int h = 0; h < most_irreps; ++h) {
      const HostMatrix& v = tables_.v[h];
      v_[h] =
          Buffer<double>::from_host(backend, std::vector<double>(v.data(), v.data() + v.size()));
    }
    for (const auto& [of, tiles] : tiles_) {
      TilesOnDevice& on_device = on_device_[of];
      on_device.step_from = Buffer<Index>::from_host(backend, tiles.step_from);
      on_device.tile_from = Buffer<Index>::from_host(backend, tiles.tile_from);
      on_device.begin = Buffer<std::uint32_t>::from_host(backend, tiles.begin);
      on_device.words = Buffer<std::uint32_t>::from_host(backend, tiles.words);
    }
    std::vector<Pass> passes;
    for (int g = 0; g < most_irreps; ++g) {
      first_pass_[g] = static_cast<int>(passes.size());
      for (const PassOnHost& pass : passes_on_host_[g]) passes.push_back(on_device(g, pass));
      passes_on_host_[g].clear();
    }
    first_pass_[most_irreps] = static_cast<int>(passes.size());
    tiles_.clear();
    passes_ = Buffer<Pass>::from_host(backend, passes);
    problem_.passes = passes_.data();
    problem_.irrep_of = irrep_of_.data();
  }

  Pass on_device(int g, const PassOnHost& pass) const {
    Pass made{};
    made.parts = static_cast<int>(pass.parts.size());
    made.steps = pass.steps;
    for (int i = 0; i < made.parts; ++i) {
      const auto& [part, first_row] = pass.parts[i];
      const int y = irrep_product(g, part.irrep);
      made.part[i] = {part.irrep,
                      part.first_pair,
                      part.pairs,
                      part.first_step,
                      part.steps(),
                      first_row,
                      base_[y] + column(y) - part.lead,
                      ld_[y],
                      tables_.layout.alpha_strings.begin[y],
                      (part.lead + betas_[y].size() + 1) / 2 * 2,
                      v_[part.irrep].data(),
                      pairs(part.irrep),
                      part.irrep == 0};
    }
    const TilesOnDevice& tiles = on_device_.at(key(g, pass));
    made.tiles = tiles_.at(key(g, pass)).tiles();
    made.step_from = tiles.step_from.data();
    made.tile_from = tiles.tile_from.data();
    made.begin = tiles.begin.data();
    made.words = reinterpret_cast<const uint4*>(tiles.words.data());
    return made;
  }

  const DirectTables& tables_;
  BetaRanges betas_;
  std::array<std::int64_t, most_irreps> base_;
  std::array<Index, most_irreps> ld_;
  int most_rows_[most_irreps]
                [most_irreps];  ///< of c, of an alpha string, and the pairs of an irrep
  int steps_of_rows_ = 0, ks_ = 0;
  Index most_targets_ = 0;
  int sections_ = 0;
  Problem problem_{};
  std::array<std::vector<PassOnHost>, most_irreps> passes_on_host_;
  std::array<int, most_irreps + 1> first_pass_{};
  std::map<Key, TargetTiles> tiles_;
  struct TilesOnDevice {
    Buffer<Index> step_from, tile_from;
    Buffer<std::uint32_t> begin, words;
  };
  std::map<Key, TilesOnDevice> on_device_;
  Buffer<std::int8_t> irrep_of_;
  std::array<Buffer<double>, most_irreps> v_;
  Buffer<Pass> passes_;
};

}  // namespace cisolve::mixed_product
