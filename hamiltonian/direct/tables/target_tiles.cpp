#include "hamiltonian/direct/tables/target_tiles.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// An element of G and the target that takes it.
struct Taken {
  Index target;
  std::uint16_t element;  ///< place | sign · 2^15
};

constexpr int lanes = 32, header = TargetTiles::most_adders + 1;

struct Target {
  Index target;
  int first, count;  ///< elements
};

/// The low 16 bits of a word, or, of the second half, the high ones.
void set_half(int half, std::uint32_t value, std::uint32_t& word) {
  word = half == 0 ? (word & 0xffff0000u) | value : (word & 0xffffu) | value << 16;
}

/// Two halves, of which the second may have no targets.
struct Chunk {
  std::array<std::span<Target>, 2> halves;
  int rows(int half) const {
    int most = 0;
    for (const Target& target : halves[half]) most = std::max(most, target.count);
    return most;
  }
  /// About, of adding them up: what it takes to begin is as much as some rows.
  int work() const { return 4 + rows(0) + rows(1); }
};

/// The targets that take most first.
std::vector<Target> targets_of(std::span<const Taken> taken) {
  std::vector<Target> targets;
  for (int i = 0; i < static_cast<int>(taken.size()); ++i) {
    if (targets.empty() || targets.back().target != taken[i].target) {
      targets.push_back({taken[i].target, i, 0});
    }
    ++targets.back().count;
  }
  std::ranges::stable_sort(targets, std::greater(), &Target::count);
  return targets;
}

/// The chunks of each adder: the largest first, each for who has least to do so far.
std::vector<std::vector<Chunk>> shared_out(std::span<Target> targets, int adders) {
  std::vector<std::vector<Chunk>> chunks(adders);
  std::vector<int> work(adders, 0);
  const auto take = [&] {
    const auto half = targets.first(std::min<std::size_t>(lanes, targets.size()));
    targets = targets.subspan(half.size());
    return half;
  };
  while (!targets.empty()) {
    const std::span<Target> first = take();
    const Chunk chunk{{first, take()}};
    const auto least = std::ranges::min_element(work) - work.begin();
    chunks[least].push_back(chunk);
    work[least] += chunk.work();
  }
  return chunks;
}

/// The rows of a chunk.
void append_rows(const Chunk& chunk, std::span<const Taken> taken, std::uint16_t zero,
                 std::vector<std::uint32_t>& words) {
  const std::size_t begin = words.size();
  words.resize(begin + lanes * chunk.rows(0), zero | std::uint32_t{zero} << 16);
  for (int half = 0; half < 2; ++half) {
    for (std::size_t lane = 0; lane < chunk.halves[half].size(); ++lane) {
      const Target& own = chunk.halves[half][lane];
      for (int e = 0; e < own.count; ++e) {
        set_half(half, taken[own.first + e].element, words[begin + e * lanes + lane]);
      }
    }
  }
}

/// The words of one tile; `taken` by target, in the order in which a target adds them up.
std::vector<std::uint32_t> words_of(std::span<const Taken> taken, Index section_first,
                                    std::uint16_t zero, int adders) {
  std::vector<Target> targets = targets_of(taken);
  std::vector<Chunk> chunks;
  std::vector<std::uint32_t> words(header);
  const auto shares = shared_out(targets, adders);
  for (int adder = 0; adder < adders; ++adder) {
    chunks.insert(chunks.end(), shares[adder].begin(), shares[adder].end());
    words[adder + 1] = static_cast<std::uint32_t>(chunks.size());
  }
  const std::size_t heads = words.size(), numbers = heads + 2 * chunks.size();
  words.resize(numbers + lanes * chunks.size(), ~0u);
  std::uint32_t rows = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const Chunk& chunk = chunks[c];
    const std::uint32_t first_rows = chunk.rows(0), second_rows = chunk.rows(1);
    words[heads + 2 * c] = rows << 16 | second_rows << 8 | first_rows;
    rows += first_rows;
    std::uint32_t& lowest = words[heads + 2 * c + 1];
    lowest = ~0u;
    for (int half = 0; half < 2; ++half) {
      std::ranges::sort(chunk.halves[half], {}, &Target::target);
      for (std::size_t lane = 0; lane < chunk.halves[half].size(); ++lane) {
        const Index target = chunk.halves[half][lane].target;
        lowest = std::min(lowest, static_cast<std::uint32_t>(target));
        const auto number = static_cast<std::uint32_t>(target - section_first);
        set_half(half, number, words[numbers + c * lanes + lane]);
      }
    }
    append_rows(chunk, taken, zero, words);
  }
  words.resize((words.size() + 3) / 4 * 4, 0);
  return words;
}

}  // namespace

TargetTiles::TargetTiles(const BetaLinks& links, const std::vector<Part>& parts,
                         StringRange targets, int tile_steps, Index section, int adders)
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
                         static_cast<std::uint16_t>(zero_place(tile_steps)), adders);
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
