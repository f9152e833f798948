#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "hamiltonian/direct/cpu/combine_rows.hpp"
#include "hamiltonian/direct/cpu/same_spin_cpu.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"
#include "hamiltonian/direct/tables/lowest_targets.hpp"

namespace cisolve {

/// σ of one alpha string by excitations of alpha and beta electrons, at most one of each.
class AlphaRow {
 public:
  /// `betas`: what of c is not zero. `lowest`: of the beta strings' pairs of each irrep where σ_ab
  /// is wanted for b < a, and half of σ_aa; null: for all b.
  AlphaRow(const DirectTables& tables, const BetaRanges& betas,
           const std::vector<LowestTargets>* lowest)
      : tables_(tables),
        layout_(tables.layout),
        alpha_(layout_.alpha_strings),
        betas_(betas),
        lowest_(lowest) {}

  /// sigma: the row of a, added to.
  void add(const double* c, Index a, double* sigma) {
    const int irrep = alpha_.irrep_of[a];
    const StringRange targets = betas_[irrep];
    if (targets.size() == 0 || (lowest_ != nullptr && targets.first > a)) return;
    double* const row = sigma - layout_.betas(irrep).first;
    const bool own = lowest_ != nullptr && targets.first <= a && a < targets.last;
    const double before = own ? row[a] : 0.0;
    for (int h = 0; h < most_irreps; ++h) {
      const StringRange sources = betas_[irrep_product(irrep, h)];
      if (sources.size() == 0) continue;
      const PackedWeights weights = gather_terms(c, a, h);
      if (weights.k() == 0) continue;
      const Index first = layout_.betas(irrep_product(irrep, h)).first;
      for_each_tile(sources, [&](Index number, const StringRange& tile) {
        add_tile(a, h, number, tile, first, weights, row);
      });
    }
    if (own) row[a] = before + 0.5 * (row[a] - before);
  }

 private:
  /// The rows D_u of c and the rows of V that belong to them, with their signs.
  PackedWeights gather_terms(const double* c, Index a, int h) {
    const HostMatrix& v = tables_.v[h];
    const auto links = tables_.alpha_links.of(a, h);
    const auto pairs = static_cast<int>(v.cols());
    const int k = static_cast<int>(links.size()) + (h == 0 ? 1 : 0);
    PackedWeights weights(weights_memory_.of(PackedWeights::size(k, pairs)), k, pairs);
    rows_.clear();
    if (h == 0) {  // X_0 and all X_pp leave a as it is
      own_ = v.row(0);
      for (const int p : alpha_.strings[a]) own_ += v.row(1 + p);
      weights.set(0, [&](int t) { return own_[t]; });
      rows_.push_back(c + layout_.row_begin[a]);
    }
    for (const PairLink& link : links) {
      const double* const of_pair = v.row(link.pair).data();
      weights.set(static_cast<int>(rows_.size()), [&](int t) { return link.sign * of_pair[t]; });
      rows_.push_back(c + layout_.row_begin[link.string]);
    }
    return weights;
  }

  template <class Visit>
  void for_each_tile(const StringRange& range, Visit visit) const {
    const auto& tiles = tables_.beta_links.tiles();
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (range.first <= tiles[i].first && tiles[i].last <= range.last) {
        visit(static_cast<Index>(i), tiles[i]);
      }
    }
  }

  void add_tile(Index a, int h, Index number, const StringRange& tile, Index first,
                const PackedWeights& weights, double* sigma) {
    const std::int64_t ldg = whole_blocks(tile.size());
    double* const g = g_memory_.of(ldg * rows_together);
    const std::array<double*, rows_together> rows_of_g{g, g + ldg, g + 2 * ldg, g + 3 * ldg};
    place_rows(tile, first, ldg);
    for (int t = 0; t < weights.pairs(); ++t) {
      const double* const from = g + t % rows_together * ldg;
      if (from == g) {
        if (lowest_ == nullptr) {
          const auto all = [](std::int64_t) { return true; };
          combine_rows(tile_rows_.data(), tile.size(), weights, t, rows_of_g.data(), all);
        } else {
          const auto wanted = [a, lowest = (*lowest_)[h].of(number, t)](std::int64_t block) {
            return lowest[block] <= a;
          };
          combine_rows(tile_rows_.data(), tile.size(), weights, t, rows_of_g.data(), wanted);
        }
      }
      const auto [plus, minus] = tables_.beta_links.of(h, t, number);
#pragma GCC unroll 4
      for (const BetaLink& link : wanted(plus, a)) sigma[link.target] += from[link.source];
#pragma GCC unroll 4
      for (const BetaLink& link : wanted(minus, a)) sigma[link.target] -= from[link.source];
    }
  }

  /// The tile of the rows: side by side where they are many, for each set of pairs reads them again
  /// and they lie on as many pages.
  void place_rows(const StringRange& tile, Index first, std::int64_t ldg) {
    constexpr std::size_t few = 24;
    const bool copied = rows_.size() > few;
    double* to = copied ? d_memory_.of(ldg * std::ssize(rows_)) : nullptr;
    tile_rows_.clear();
    for (const double* row : rows_) {
      const double* const from = row + (tile.first - first);
      if (copied) std::copy_n(from, tile.size(), to);
      tile_rows_.push_back(copied ? to : from);
      to += copied ? ldg : 0;
    }
  }

  /// The links to strings up to a, where only those are wanted.
  std::span<const BetaLink> wanted(std::span<const BetaLink> links, Index a) const {
    if (lowest_ == nullptr) return links;
    const auto end = std::ranges::upper_bound(links, a, {}, &BetaLink::target);
    return links.first(end - links.begin());
  }

  const DirectTables& tables_;
  const DirectLayout& layout_;
  const DirectStrings& alpha_;
  const BetaRanges& betas_;
  const std::vector<LowestTargets>* lowest_;
  std::vector<const double*> rows_, tile_rows_;
  Eigen::RowVectorXd own_;
  Scratch weights_memory_, d_memory_, g_memory_;
};

}  // namespace cisolve
