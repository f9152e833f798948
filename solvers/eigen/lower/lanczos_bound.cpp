#include "solvers/eigen/lower/lanczos_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dense/dense.hpp"
#include "core/infinity.hpp"

namespace cisolve {
namespace {

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

void PolynomialSum::append(double alpha, double before, double beta) {
  // The pivots are d_j = α_j − κ − β_{j−1}²/d_{j−1}, all positive where κ is below T's eigenvalues,
  // and |p_j| = Π_{i<j} d_i/β_i.
  if (!(pivot_ > 0.0)) return;
  pivot_ = alpha - kappa_ - before * before / pivot_;
  if (!(pivot_ > 0.0)) return;
  const double growth = beta == 0.0 ? infinity : 2.0 * std::log(pivot_ / beta);
  log_square_ += growth;
  sum_ = sum_ * std::exp(-growth) + 1.0;
}

std::optional<double> PolynomialSum::log() const {
  if (!(pivot_ > 0.0)) return std::nullopt;
  return log_square_ + std::log(sum_);
}

void LanczosBound::append(double alpha, double beta) {
  at_zero_.append(alpha, beta_.empty() ? 0.0 : beta_.back(), beta);
  alpha_.push_back(alpha);
  beta_.push_back(beta);
  scale_ = std::max({scale_, std::abs(alpha), beta});
  sums_.push_back(log_sum().value_or(0.0));
}

std::optional<double> LanczosBound::log_sum(double kappa) const {
  PolynomialSum sum(kappa);
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    sum.append(alpha_[j], j == 0 ? 0.0 : beta_[j - 1], beta_[j]);
  }
  return sum.log();
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

double LanczosBound::needed(double dimensions, double probability, int starts, int components) {
  const double each = std::pow(probability, 1.0 / starts), n = std::max(dimensions, 1.0);
  // P(χ² with d degrees of freedom < Nδ) is at most √(2Nδ/π), Nδ/2, (Nδ)²/8.
  if (components == 1) return std::log(2.0 * n / (std::numbers::pi * each * each));
  return components == 2 ? std::log(n / (2.0 * each)) : std::log(n / std::sqrt(8.0 * each));
}

}  // namespace cisolve
