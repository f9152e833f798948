#include "hamiltonian/select/extrapolation.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace cisolve {
namespace {

struct Fit {
  double at_zero, slope, standard_error;  // slope: at zero
};

/// y ≈ Σ_k a_k x^k for k ≤ degree, by 1/x².
Fit fit(const Eigen::VectorXd& x, const Eigen::VectorXd& y, int degree) {
  const Eigen::VectorXd weights = x.cwiseAbs().cwiseInverse();
  Eigen::MatrixXd a(x.size(), degree + 1);
  for (int k = 0; k <= degree; ++k) a.col(k) = x.array().pow(k) * weights.array();
  const Eigen::VectorXd b = y.cwiseProduct(weights);
  const Eigen::MatrixXd inverse =
      (a.transpose() * a).completeOrthogonalDecomposition().pseudoInverse();
  const Eigen::VectorXd c = inverse * (a.transpose() * b);
  const auto free = static_cast<double>(x.size() - degree - 1);
  const double variance = free > 0.0 ? (a * c - b).squaredNorm() / free : 0.0;
  return {c[0], c[1], std::sqrt(variance * inverse(0, 0))};
}

}  // namespace

std::optional<Extrapolation> extrapolated(std::span<const double> energies,
                                          std::span<const double> corrections,
                                          double last_deviation) {
  constexpr std::size_t most = 5, fewest = 3;
  const std::size_t n = std::min(most, energies.size());
  energies = energies.last(n);
  corrections = corrections.last(n);
  if (n < fewest || corrections.back() == 0.0 ||
      std::abs(corrections.back()) > 0.9 * std::abs(corrections.front())) {
    return std::nullopt;
  }
  // Energies count from the last total one, so that squares of small differences keep their digits.
  const double origin = energies.back() + corrections.back();
  Eigen::VectorXd x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = corrections[i] / corrections.front();
    y[i] = energies[i] + corrections[i] - origin;
    if (x[i] == 0.0) return std::nullopt;
  }
  const Fit line = fit(x, y, 1);
  double uncertainty = std::max(line.standard_error, 0.5 * std::abs(line.at_zero) + last_deviation);
  if (n > fewest) {
    uncertainty = std::max(uncertainty, std::abs(fit(x, y, 2).at_zero - line.at_zero));
  }
  return Extrapolation{origin + line.at_zero, uncertainty, static_cast<int>(n),
                       line.slope / corrections.front() - 1.0};
}

}  // namespace cisolve
