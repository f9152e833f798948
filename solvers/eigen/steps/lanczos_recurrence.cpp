#include "solvers/eigen/steps/lanczos_recurrence.hpp"

#include <algorithm>
#include <cmath>

#include "backends/ranks/agree.hpp"
#include "core/dense/dense.hpp"
#include "core/infinity.hpp"

namespace cisolve {

double LanczosRecurrence::grow(double square) {
  // Squares of lengths: numbers of 10⁴, which single precision takes as well.
  constexpr double far = 1e8;
  // Once the Krylov space is whole, what is left is rounding.
  constexpr double rounding = 1e-13;
  if (whole) return 0.0;
  if (!std::isfinite(alpha.back()) || !std::isfinite(square)) {
    alpha.pop_back();
    failed = whole = true;
    return 0.0;
  }
  const double previous = beta.empty() ? 0.0 : beta.back(), next = std::sqrt(square);
  beta.push_back(next / length.back());
  whole = !(beta.back() > rounding * std::max(std::abs(alpha.back()), previous));
  if (whole) {
    beta.back() = 0.0;
    return 0.0;
  }
  const double scale = square < far && square * far > 1.0 ? 1.0 : 1.0 / next;
  before = scale * beta.back() * beta.back();
  length.push_back(scale * next);
  return scale;
}

void LanczosRecurrence::take_lengths(double of_last, double of_next) {
  constexpr double much = 1e-3;  // of a length: its square is what α and β are off by
  double &last = length[length.size() - 2], &next = length.back();
  disturbed_ = disturbed_ || !(std::abs(of_last - last) <= much * last) ||
               !(std::abs(of_next - next) <= much * next);
  const double scale = before / (beta.back() * beta.back());
  last = of_last;
  next = of_next;
  beta.back() = next / (scale * last);
  before = scale * beta.back() * beta.back();
}

/// Copies of a pair that rounding brings up have its value, or next to nothing of x_1 in them
/// (Cullum, Willoughby, J. Comput. Phys. 1981, 44, 329).
void LanczosRecurrence::solve(int count, Index rows, Communicator& ranks) {
  constexpr double nothing = 1e-5;  // of what a random vector has
  const auto steps = static_cast<int>(alpha.size());
  if (steps == 0) return;
  SymmetricEigen pairs = lowest_of_tridiagonal(alpha, beta, std::min(steps, count));
  agree(ranks, pairs);
  std::vector<int> kept;
  const auto last = [&](int i) { return std::abs(pairs.vectors(steps - 1, i)); };
  const double least = nothing / std::sqrt(static_cast<double>(rows));
  for (int i = 0; i < pairs.values.size(); ++i) {
    if (std::abs(pairs.vectors(0, i)) < least) continue;
    const bool copy = !kept.empty() && pairs.values[i] - pairs.values[kept.back()] <= same_level;
    if (!copy) kept.push_back(i);
    if (copy && last(i) < last(kept.back())) kept.back() = i;
  }
  values = pairs.values(kept);
  vectors = pairs.vectors(Eigen::all, kept);
}

double LanczosRecurrence::residual(int i) const {
  if (failed) return infinity;
  return beta.back() * std::abs(vectors(vectors.rows() - 1, i));
}

double LanczosRecurrence::largest() const {
  double largest = *std::ranges::max_element(beta);
  for (const double element : alpha) largest = std::max(largest, std::abs(element));
  return largest;
}

bool LanczosRecurrence::has_converged(int i) const {
  constexpr double least = 2e-11;  // ε over that: a hundred-thousandth of a vector
  return i < values.size() && !whole && residual(i) <= least * largest();
}

int LanczosRecurrence::count_made(double most) {
  const auto count = std::min<Eigen::Index>(std::ssize(made_), values.size());
  Eigen::Index good = 0;
  while (good < count && std::abs(made_[good].value - values[good]) <= same_level &&
         made_[good].residual <= most) {
    ++good;
  }
  made_.resize(good);
  return static_cast<int>(good);
}

void LanczosRecurrence::note_made(int i) {
  made_.push_back({values[i], residual(i)});
}

bool LanczosRecurrence::can_tell() const {
  constexpr double most = 1e8;  // ε times this is far below `finest_gap`
  return !failed && !disturbed_ && largest() <= most;
}

}  // namespace cisolve
