#include "solvers/lanczos_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/dense.hpp"

namespace cisolve {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The point where `below` turns from true to false, to rounding; below(from) holds, below(to) not.
template <class Predicate>
double bisect(double from, double to, const Predicate& below) {
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (from + to);
    if (middle == from || middle == to) break;
    (below(middle) ? from : to) = middle;
  }
  return to;
}

}  // namespace

void LanczosBound::append(double alpha, double beta) {
  alpha_.push_back(alpha);
  beta_.push_back(beta);
  scale_ = std::max({scale_, std::abs(alpha), beta});
  sums_.push_back(log_sum(0.0).value_or(0.0));
}

std::optional<double> LanczosBound::log_sum(double kappa) const {
  // The pivots of T − κ = LDLᵀ: d_j = α_j − κ − β_{j−1}²/d_{j−1}, all positive where κ is below T's
  // eigenvalues, and |p_j| = Π_{i≤j} d_i/β_i.
  double pivot = 0.0, log_square = 0.0;  // of p_j, log p_j²
  double sum = 1.0;                      // Σ_{i≤j} p_i² / p_j²
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    pivot = alpha_[j] - kappa - (j == 0 ? 0.0 : beta_[j - 1] * beta_[j - 1] / pivot);
    if (!(pivot > 0.0)) return std::nullopt;
    if (beta_[j] == 0.0) return infinity;
    const double growth = 2.0 * std::log(pivot / beta_[j]);
    log_square += growth;
    sum = sum * std::exp(-growth) + 1.0;
  }
  return log_square + std::log(sum);
}

double LanczosBound::excluded_below(double needed) const {
  const auto shown = [&](double distance) { return log_sum(-distance).value_or(0.0) >= needed; };
  if (alpha_.empty()) return infinity;
  if (shown(0.0)) return 0.0;
  double far = 1e-6 * scale_;
  while (far < 1e6 * scale_ && !shown(far)) far *= 2.0;
  if (!shown(far)) return infinity;
  return bisect(0.0, far, [&](double distance) { return !shown(distance); });
}

double LanczosBound::steps_needed(double needed) const {
  const std::size_t m = sums_.size();
  if (m == 0) return infinity;
  if (sums_.back() >= needed) return static_cast<double>(m);
  const std::size_t half = m / 2;
  const double before = half == 0 ? 0.0 : sums_[half - 1];
  const double slope = (sums_.back() - before) / static_cast<double>(m - half);
  return slope > 0.0 ? static_cast<double>(m) + (needed - sums_.back()) / slope : infinity;
}

LanczosBound::Lowest LanczosBound::lowest() const {
  const SymmetricEigen pair = lowest_of_tridiagonal(alpha_, beta_);
  const HostVector vector = pair.vectors.col(0);
  return {pair.values[0], beta_.back() * std::abs(vector[vector.size() - 1]), vector};
}

double LanczosBound::needed(double dimensions, double probability) {
  return std::log(2.0 * std::max(dimensions, 1.0) / (std::numbers::pi * probability * probability));
}

}  // namespace cisolve
