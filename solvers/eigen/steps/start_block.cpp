#include "solvers/eigen/steps/start_block.hpp"

#include <algorithm>

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/steps/project.hpp"

namespace cisolve {
namespace {

// Random part of start vectors from A_PP, unless P is all of the sector. A symmetry that the matrix
// graph does not show could otherwise keep the whole subspace away from the lowest states.
constexpr double random_part = 0.001;

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
    counts[s] = std::min<int>(counts[s], work.dimension_of(s));
    missing -= counts[s];
  }
  for (int s = 0; s < work.sectors() && missing > 0; ++s) {
    const int more =
        std::min<int>({missing, work.dimension_of(s) - counts[s], work.block - counts[s]});
    counts[s] += more;
    missing -= more;
  }
  return counts;
}

/// T ← the parts of the vectors given that lie in each sector; their numbers.
std::vector<int> take_given(Workspace& work, const SolverState& given, View t) {
  constexpr double least_part = 1e-3;  // of a vector's length: less is rounding, or a tail
  std::vector<int> taken(work.sectors(), 0);
  const View x = work.residuals.narrowed(1);
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
      if (taken[s] == std::min<int>(work.block, work.dimension_of(s))) continue;
      if (!(norm > least_part * length)) continue;
      work.backend.copy(x_s, work.part(t, s).slice(taken[s]++, 1));
    }
  }
  return taken;
}

/// T_s ← behind those taken, up to `counts`, the projections of the eigenvectors of A_PP, past the
/// `known` ones, from the lowest on, of which most is left.
void take_projected_levels(Workspace& work, std::span<const int> known,
                           const std::vector<int>& counts, std::vector<int>& taken, View t) {
  constexpr int most_batches = 16;
  constexpr double most_is_left = 0.5;  // of the length of a vector
  const View u = work.new_images.narrowed(work.block);
  std::vector<int> skip(known.begin(), known.end());
  std::vector<double> norms(work.block);
  for (int batch = 0; batch < most_batches && taken != counts; ++batch) {
    const int first = batch * work.block;
    for (int s = 0; s < work.sectors(); ++s) {
      const auto levels = static_cast<int>(work.search(s).levels().size());
      const int count = std::clamp(levels - first, 0, work.block);
      const View u_s = work.part(u, s);
      if (count > 0) work.search(s).level_vectors(first, u_s.slice(0, count));
      work.backend.fill(0.0, u_s.slice(count, work.block - count));
    }
    work.a.in_original_order(work.options.project, u);
    for (int s = 0; s < work.sectors(); ++s) {
      work.backend.column_norms(work.part(u, s), norms);
      for (int j = 0; j < work.block; ++j) {
        if (taken[s] >= counts[s] || !(norms[j] > most_is_left) || skip[s]-- > 0) continue;
        work.backend.copy(work.part(u, s).slice(j, 1), work.part(t, s).slice(taken[s]++, 1));
      }
    }
  }
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
  if (given != nullptr) taken = take_given(work, *given, work.new_vectors.narrowed(work.block));
  for (int s = 0; s < work.sectors(); ++s) {
    const int room = work.search(s).room();
    counts[s] = std::clamp(counts[s] - known[s], taken[s], std::max(room, taken[s]));
  }
  const int most = *std::ranges::max_element(counts);
  to.t = work.new_vectors.narrowed(given != nullptr ? work.block : most);
  to.added.assign(work.sectors(), 0);
  to.whole.assign(work.sectors(), 0);
  if (most == 0) return;
  const bool projected = static_cast<bool>(work.options.project);
  std::vector<char> random(work.sectors());
  const std::vector<int> from_given = taken;
  if (projected) take_projected_levels(work, known, counts, taken, to.t);
  for (int s = 0; s < work.sectors(); ++s) {
    const View t = work.part(to.t, s);
    const auto levels_there = static_cast<int>(work.search(s).levels().size());
    const int first = projected ? levels_there : known[s] + taken[s];
    random[s] = counts[s] - taken[s] > std::max(0, levels_there - first);
    if (counts[s] > 0) {
      work.search(s).propose_start(seeds[s], lowest, first, taken[s], t.slice(0, counts[s]));
    }
    if (traits_of(work.options.method).corrects && counts[s] > from_given[s] &&
        levels_there < work.rows_of(s)) {
      const int made = counts[s] - from_given[s];
      work.search(s).add_random_part(seeds[s] + 1, lowest, random_part,
                                     work.part(work.new_images.narrowed(made), s),
                                     t.slice(from_given[s], made));
    }
    work.backend.fill(0.0, t.slice(counts[s], t.columns - counts[s]));
  }
  for (int s = 0; s < work.sectors(); ++s) {
    const View t = work.part(to.t, s);
    to.added[s] = work.search(s).accept_start(t.slice(0, counts[s]));
    work.backend.fill(0.0, t.slice(to.added[s], t.columns - to.added[s]));
  }
  if (projected) keep_to_subspace(work, to.t, to.added);
  for (int s = 0; s < work.sectors(); ++s) {
    to.whole[s] = to.added[s] > 0;
    // Random vectors that lie in V show that nothing is left; eigenvectors of A_PP do not.
    if (to.added[s] == 0 && random[s]) work.search(s).nothing_left_of_random();
  }
}

}  // namespace cisolve
