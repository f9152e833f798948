#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "solvers/eigen/lower/exclusion_search.hpp"
#include "solvers/eigen/steps/krylov.hpp"

// Ritz vectors of a Krylov space: of one recurrence, and of levels that two have.

namespace cisolve {
namespace {

constexpr double different = 1e-4;  // sine of the angle between two states of a level

}  // namespace

/// Y := Σ_j s_j x_j / ‖x_j‖ of one recurrence's Ritz pairs from number `first` on, by make_planned.
void Krylov::plan_sum(int s, int start, int first, View y) {
  if (y.columns == 0) return;
  const LanczosRecurrence& r = parts_[s].of_start[start];
  const Eigen::Index steps = std::ssize(r.alpha);
  const auto count = std::clamp<Eigen::Index>(r.values.size() - first, 0, y.columns);
  Sum& sum = sums_[start];
  sum.c = HostMatrix::Zero(steps, y.columns);
  sum.x.clear();
  for (Eigen::Index j = 0; j < steps; ++j) {
    sum.c.row(j).head(count) = r.vectors.row(j).segment(first, count) / r.length[j];
    sum.x.push_back(work_.part(x(static_cast<int>(j)), s).slice(start, 1));
  }
  planned_.push_back({sum.x, {sum.c.data(), static_cast<std::size_t>(sum.c.size())}, y});
}

/// The vectors of both recurrences lie side by side, and are read together.
void Krylov::make_planned() {
  work_.backend.combine(planned_);
  planned_.clear();
}

/// Vectors of the pairs that have converged, of the first recurrence in T, of the second in the
/// scratch.
void Krylov::make_converged(View t, View scratch) {
  for (int s = 0; s < work_.sectors(); ++s) {
    for (int i = 0; i < starts_; ++i) {
      LanczosRecurrence& r = parts_[s].of_start[i];
      const View y = work_.part(i == 0 ? t : scratch, s);
      const int known = r.count_made();
      int ready = known;
      while (ready < y.columns && r.has_converged(ready)) r.note_made(ready++);
      if (ready > known) plan_sum(s, i, known, y.slice(known, ready - known));
    }
    make_planned();
  }
}

/// Vectors of all pairs but those that were made to residuals of at most `small`.
void Krylov::make_all(double small, View t, View scratch) {
  for (int s = 0; s < work_.sectors(); ++s) {
    for (int i = 0; i < starts_; ++i) {
      const View y = work_.part(i == 0 ? t : scratch, s);
      const int made = parts_[s].of_start[i].count_made(small);
      plan_sum(s, i, made, y.slice(made, y.columns - made));
    }
    make_planned();
  }
}

/// True if a level below the highest one wanted has different vectors in the two Krylov spaces,
/// among those that were made: then it has several states, and they cannot exclude others.
bool Krylov::have_several(View t, View scratch) {
  if (starts_ == 1) return false;
  const double highest = lowest_[work_.options.states - 1].first;
  const int d = work_.backend.components();
  HostMatrix products, squares, others;
  bool several = false;
  for (int s = 0; s < work_.sectors(); ++s) {
    LanczosRecurrence &r = parts_[s].of_start[0], &other = parts_[s].of_start[1];
    const View first = work_.part(t, s).slice(0, r.count_made());
    const View second = work_.part(scratch, s).slice(0, other.count_made());
    if (first.columns == 0 || second.columns == 0) continue;
    work_.backend.gram(first, first, squares);
    work_.backend.gram(second, second, others);
    work_.backend.gram(first, second, products);
    for (const auto& [i, j] : same_levels(s, first.columns, second.columns)) {
      if (r.values[i] >= highest - 2.0 * finest_gap) continue;
      // 1 − cos², of the angle between the vectors
      const double along = products.block(d * i, d * j, 1, d).squaredNorm();
      const double all = squares(d * i, d * i) * others(d * j, d * j);
      several = several || along < (1.0 - different * different) * all;
    }
  }
  return several;
}

/// Numbers of the levels that both recurrences have among so many of the lowest, in each.
std::vector<std::pair<int, int>> Krylov::same_levels(int s, int of_first, int of_second) const {
  const HostVector &values = parts_[s].of_start[0].values, &others = parts_[s].of_start[1].values;
  std::vector<std::pair<int, int>> same;
  for (int i = 0; i < std::min<int>(of_first, static_cast<int>(values.size())); ++i) {
    for (int j = 0; j < std::min<int>(of_second, static_cast<int>(others.size())); ++j) {
      if (std::abs(values[i] - others[j]) <= LanczosRecurrence::same_level) same.emplace_back(i, j);
    }
  }
  return same;
}

/// T := the lowest Ritz vectors, level by level; of one where the two recurrences have different
/// vectors both, the second made orthogonal to the first.
void Krylov::choose(int s, View t, View scratch) {
  const HostVector& values = parts_[s].of_start[0].values;
  // R = T' − T(TᵀT')/(TᵀT) of the same level, T' the second recurrence's
  const int d = work_.backend.components(), columns = t.columns;
  HostMatrix squares, products, c = HostMatrix::Zero(d * columns, d * columns);
  work_.backend.gram(t, t, squares);
  work_.backend.gram(t, scratch, products);
  std::vector<int> second(columns, -1);
  for (const auto& [i, j] : same_levels(s, columns, columns)) {
    second[i] = j;
    c.block(d * i, d * j, d, d) = products.block(d * i, d * j, d, d) / squares(d * i, d * i);
  }
  std::vector<double> lengths(columns), sines(columns);
  work_.backend.column_norms(scratch, lengths);
  work_.backend.combine(-1.0, t, c, 1.0, scratch);
  work_.backend.column_norms(scratch, sines);
  const double same =
      0.25 * std::numbers::pi * work_.options.exclusion_probability / work_.options.states;
  std::vector<std::pair<bool, int>> chosen;  // of the second recurrence or not, and its column
  for (int i = 0; i < columns; ++i) {
    chosen.emplace_back(false, i);
    const int j = second[i];
    if (j < 0) continue;
    if (sines[j] <= same * lengths[j]) parts_[s].simple.push_back(values[i]);
    if (sines[j] > different * lengths[j]) chosen.emplace_back(true, j);
  }
  // The last column comes first, because columns move to later places.
  for (int to = columns - 1; to >= 0; --to) {
    const auto [of_second, from] = chosen[to];
    if (of_second || from != to) {
      work_.backend.copy((of_second ? scratch : t).slice(from, 1), t.slice(to, 1));
    }
  }
}

}  // namespace cisolve
