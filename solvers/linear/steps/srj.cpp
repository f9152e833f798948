// Scheduled relaxation (X. I. A. Yang, R. Mittal, J. Comput. Phys. 2014, 274, 695) with the weights
// of J. E. Adsuara et al., J. Comput. Phys. 2017, 332, 446: the inverse roots of Chebyshev's Tₙ on
// the interval, in the order of V. I. Lebedev and S. A. Finogenov (USSR Comput. Math. Math. Phys.
// 1971, 11, 155), in which partial products of the residual polynomial stay bounded.
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/linear/steps/relaxation.hpp"

namespace cisolve {
namespace {

constexpr int longest_cycle = 64;

/// The odd numbers below 2n in a stable order, n a power of two.
std::vector<int> stable_order(int n) {
  std::vector<int> order{1};
  while (std::ssize(order) < n) {
    const int m = static_cast<int>(order.size());
    std::vector<int> doubled;
    for (const int number : order) {
      doubled.push_back(number);
      doubled.push_back(4 * m - number);
    }
    order = std::move(doubled);
  }
  return order;
}

/// Iterations in whole cycles of n after which the residual is below the tolerance on the whole
/// interval: a cycle leaves 1 / Tₙ(σ) of it, σ = (highest + lowest) / (highest − lowest).
double iterations(int n, double sigma, double tolerance) {
  const double left = std::log(std::cosh(n * std::acosh(sigma)));
  return n * std::max(1.0, std::ceil(-std::log(tolerance) / left));
}

/// Weights of a cycle, the cycle that is fastest to the tolerance.
std::vector<double> scheduled_weights(const Interval& interval, double tolerance) {
  const double middle = 0.5 * (interval.highest + interval.lowest);
  const double half = 0.5 * (interval.highest - interval.lowest);
  if (!(half > 1e-12 * middle)) return {1.0 / middle};
  int length = 1;
  double fewest = std::numeric_limits<double>::infinity();
  for (int n = 1; n <= longest_cycle; n *= 2) {
    const double needed = iterations(n, middle / half, tolerance);
    if (!(needed < fewest)) continue;
    fewest = needed;
    length = n;
  }
  // ω_k = 1 / (θ − δ cos((2k − 1)π / 2n)),  θ the middle of the interval, δ half its length
  std::vector<double> weights;
  for (const int number : stable_order(length)) {
    weights.push_back(1.0 / (middle - half * std::cos(number * std::numbers::pi / (2.0 * length))));
  }
  return weights;
}

std::unique_ptr<LinearStep> make_srj(LinearSystem& system, const LinearOptions& options,
                                     const std::optional<Interval>& interval, int) {
  return std::make_unique<Relaxation>(system, scheduled_weights(*interval, options.tolerance));
}

}  // namespace

LinearMethodTraits srj_linear_method() {
  return {.method = LinearMethod::srj,
          .needs_definite = true,
          .weights = Weights::several,
          .patience = patience_of_cycles,
          .make = make_srj};
}

}  // namespace cisolve
