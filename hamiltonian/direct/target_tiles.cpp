#include "hamiltonian/direct/target_tiles.hpp"

#include <algorithm>
#include <span>

#include "core/parallel.hpp"

namespace cisolve {
namespace {

/// That a target takes an element of G.
struct Taken {
  Index target;
  std::uint16_t element;  ///< place | sign · 2^15
};

constexpr int chunk_targets = 64;

/// The words of one tile; `taken` by target, in the order in which a target adds them up.
std::vector<std::uint32_t> words_of(std::span<const Taken> taken, Index section_first,
                                    std::uint16_t zero) {
  struct Target {
    Index target;
    int first, count;  ///< elements
    int rows() const { return (count + 1) / 2; }
  };
  std::vector<Target> targets;
  for (int i = 0; i < static_cast<int>(taken.size()); ++i) {
    if (targets.empty() || targets.back().target != taken[i].target) {
      targets.push_back({taken[i].target, i, 0});
    }
    ++targets.back().count;
  }
  std::ranges::stable_sort(targets,
                           [](const Target& a, const Target& b) { return a.rows() > b.rows(); });
  const int chunks = static_cast<int>((targets.size() + chunk_targets - 1) / chunk_targets);
  std::vector<std::uint32_t> words(2 + 2 * chunks + chunk_targets / 2 * chunks, ~0u);
  words[0] = chunks;
  std::uint32_t rows = 0;
  for (int c = 0; c < chunks; ++c) {
    const std::span<Target> chunk{
        targets.data() + c * chunk_targets,
        std::min<std::size_t>(chunk_targets, targets.size() - c * chunk_targets)};
    const std::uint32_t width = chunk.front().rows();
    std::ranges::sort(chunk, {}, &Target::target);
    words[2 + 2 * c] = width | rows << 16;
    words[3 + 2 * c] = chunk.front().target;
    words.resize(words.size() + width * chunk_targets, zero | std::uint32_t{zero} << 16);
    std::uint32_t* const list = words.data() + words.size() - width * chunk_targets;
    for (int lane = 0; lane < static_cast<int>(chunk.size()); ++lane) {
      const int i = c * chunk_targets + lane;
      auto& pair = words[2 + 2 * chunks + i / 2];
      const auto relative = static_cast<std::uint32_t>(chunk[lane].target - section_first);
      pair = i % 2 == 0 ? (pair & 0xffff0000u) | relative : (pair & 0xffffu) | relative << 16;
      for (int e = 0; e < chunk[lane].count; ++e) {
        const std::uint32_t element = taken[chunk[lane].first + e].element;
        std::uint32_t& two = list[e / 2 * chunk_targets + lane];
        two = e % 2 == 0 ? (two & 0xffff0000u) | element : (two & 0xffffu) | element << 16;
      }
    }
    rows += width;
  }
  words.resize((words.size() + 3) / 4 * 4, 0);
  return words;
}

}  // namespace

TargetTiles::TargetTiles(const BetaLinks& links, const std::vector<Part>& parts,
                         StringRange targets, int tile_steps, Index section)
    : sections_(std::max<int>(1, (targets.size() + section - 1) / section)) {
  for (const Part& part : parts) {
    tiles_ = std::max(tiles_, (part.lead + part.sources.size() + columns - 1) / columns);
  }
  const auto lists = static_cast<std::size_t>(sections_) * tiles_;
  std::vector<std::vector<Taken>> taken(lists);
  step_from.assign(lists * tile_steps, none);
  tile_from.assign(lists, none);
  const auto take = [&](const Part& part, int t, Index source, Index target, bool minus) {
    if (target < targets.first || target >= targets.last) return;
    const Index of_section = (target - targets.first) / section;
    const int place_of_t = part.first_step * step_pairs + t - part.first_pair;
    const std::size_t l = static_cast<std::size_t>(of_section) * tiles_ + source / columns;
    const int element = place(place_of_t, source % columns) | (minus ? 1 << 15 : 0);
    taken[l].push_back({target, static_cast<std::uint16_t>(element)});
    Index& from = step_from[l * tile_steps + place_of_t / step_pairs];
    from = std::min(from, target);
    tile_from[l] = std::min(tile_from[l], target);
  };
  for (const Part& part : parts) {
    for (Index i = 0; i < static_cast<Index>(links.tiles().size()); ++i) {
      const StringRange tile = links.tiles()[i];
      if (tile.first < part.sources.first || tile.first >= part.sources.last) continue;
      const Index first = part.lead + tile.first - part.sources.first;
      for (int t = part.first_pair; t < part.first_pair + part.pairs; ++t) {
        const auto [plus, minus] = links.of(part.irrep, t, i);
        for (const BetaLink& l : plus) take(part, t, first + l.source, l.target, false);
        for (const BetaLink& l : minus) take(part, t, first + l.source, l.target, true);
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> made(lists);
  FirstException exception;
#pragma omp parallel for if (worth_threads(1e3 * lists)) schedule(dynamic, 8)
  for (std::size_t l = 0; l < lists; ++l) {
    exception.guard([&] {
      std::ranges::stable_sort(taken[l], {}, &Taken::target);
      const auto of_section = static_cast<Index>(l / tiles_);
      made[l] = words_of(taken[l], targets.first + of_section * section,
                         static_cast<std::uint16_t>(zero_place(tile_steps)));
      taken[l] = {};
    });
  }
  exception.rethrow();
  begin.assign(1, 0);
  for (std::vector<std::uint32_t>& of_tile : made) {
    words.insert(words.end(), of_tile.begin(), of_tile.end());
    most_words_ = std::max(most_words_, of_tile.size());
    begin.push_back(static_cast<std::uint32_t>(words.size() / 4));
    of_tile = {};
  }
}

}  // namespace cisolve
