#include "solvers/start_block.hpp"

#include <algorithm>

namespace cisolve {
namespace {

struct Level {
  double energy;
  int sector;
};

/// The lowest levels of A_PP over all sectors, as many as the block has columns.
std::vector<Level> lowest_levels(const Workspace& work) {
  std::vector<Level> levels;
  for (int s = 0; s < work.sectors(); ++s) {
    for (const double level : work.search(s).levels()) levels.push_back({level, s});
  }
  std::ranges::sort(levels, {}, [](const Level& l) { return std::pair(l.energy, l.sector); });
  levels.resize(std::min<std::size_t>(levels.size(), work.block));
  return levels;
}

/// Start vectors of each sector: the levels it has, at least one, and more until they make the
/// states wanted.
std::vector<int> start_counts(const Workspace& work, const std::vector<Level>& levels) {
  std::vector<int> counts(work.sectors(), 1);
  int missing = work.options.states;
  for (int s = 0; s < work.sectors(); ++s) {
    counts[s] = std::max<int>(1, std::ranges::count(levels, s, &Level::sector));
    missing -= counts[s];
  }
  for (int s = 0; s < work.sectors() && missing > 0; ++s) {
    const int more =
        std::min<int>({missing, work.order.rows(s) - counts[s], work.block - counts[s]});
    counts[s] += more;
    missing -= more;
  }
  return counts;
}

/// T ← the parts of the vectors given that lie in each sector; their numbers.
std::vector<int> take_given(Workspace& work, const SolverState& given, View t) {
  constexpr double least_part = 1e-3;  // of a vector's length: less is rounding, or a tail
  std::vector<int> taken(work.sectors(), 0);
  const View x = work.residuals.packed(1);
  work.backend.fill(0.0, t);
  HostMatrix host, image;
  double norm = 0.0, length = 0.0;
  for (int j = 0; j < given.vectors; ++j) {
    given.read(j, host, image);
    work.a.upload(host, x);
    work.backend.column_norms(x, {&length, 1});
    for (int s = 0; s < work.sectors(); ++s) {
      const View x_s = work.part(x, s);
      work.backend.column_norms(x_s, {&norm, 1});
      if (taken[s] == std::min<int>(work.block, work.order.rows(s))) continue;
      if (!(norm > least_part * length)) continue;
      work.backend.copy(x_s, work.part(t, s).slice(taken[s]++, 1));
    }
  }
  return taken;
}

}  // namespace

int NewVectors::columns() const {
  return added.empty() ? 0 : *std::ranges::max_element(added);
}

void start_block(Workspace& work, std::span<const int> known, const SolverState* given,
                 std::span<const std::uint64_t> seeds, NewVectors& to) {
  const std::vector<Level> levels = lowest_levels(work);
  const double lowest = levels.empty() ? 0.0 : levels.front().energy;
  std::vector<int> counts = start_counts(work, levels), taken(work.sectors(), 0);
  if (given != nullptr) taken = take_given(work, *given, work.new_vectors.packed(work.block));
  for (int s = 0; s < work.sectors(); ++s) {
    const int room = work.search(s).room();
    counts[s] = std::clamp(counts[s] - known[s], taken[s], std::max(room, taken[s]));
  }
  const int most = *std::ranges::max_element(counts);
  to.t = work.new_vectors.packed(given != nullptr ? work.block : most);
  to.added.assign(work.sectors(), 0);
  for (int s = 0; s < work.sectors(); ++s) {
    const View t = work.part(to.t, s);
    if (counts[s] > 0) {
      work.search(s).propose_start(seeds[s], lowest, known[s] + taken[s], taken[s],
                                   t.slice(0, counts[s]));
    }
    work.backend.fill(0.0, t.slice(counts[s], t.columns - counts[s]));
  }
  for (int s = 0; s < work.sectors(); ++s) {
    const View t = work.part(to.t, s);
    to.added[s] = work.search(s).accept_start(t.slice(0, counts[s]));
    work.backend.fill(0.0, t.slice(to.added[s], t.columns - to.added[s]));
  }
}

}  // namespace cisolve
