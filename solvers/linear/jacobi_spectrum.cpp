#include "solvers/linear/jacobi_spectrum.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/host_matrix.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {
namespace {

// Off-diagonal elements of T below this part of the largest end the steps: the space is exhausted.
constexpr double exhausted = 1e-12;

/// T of Lanczos in the inner product of |M|⁻¹: α on the diagonal, β_2 … β_m beside it; β_{m+1}.
struct Tridiagonal {
  std::vector<double> diagonal, off_diagonal;
  double next = 0.0;
};

// b and random numbers cancel where they leave less of their length than this.
constexpr double little = 1e-8;

/// V := the sum of B's columns and random numbers of the same norm; the sum alone where the two
/// cancel, as they may with a single row.
void start_vector(LinearSystem& system, ConstView b, std::uint64_t seed, View v) {
  Backend& backend = system.backend();
  backend.fill_random(seed, v);
  const double random_norm = system.norms(v)[0];
  MultiVector sum(backend, b.rows, 1);
  backend.combine(1.0, b, HostMatrix::Ones(b.columns, 1), 0.0, sum.view());
  const double norm = system.norms(sum.view())[0];
  if (!(norm > 0.0)) return;
  backend.axpby(1.0 / norm, sum.view(), 1.0 / random_norm, v);
  if (system.norms(v)[0] < little) backend.copy(sum.view(), v);
}

/// None where a number is not finite.
std::optional<Tridiagonal> lanczos(LinearSystem& system, ConstView b, int steps,
                                   std::uint64_t seed) {
  Backend& backend = system.backend();
  MultiVector before(backend, b.rows, 1), v(backend, b.rows, 1), z(backend, b.rows, 1),
      next(backend, b.rows, 1);
  const double sign = system.sign() < 0 ? -1.0 : 1.0;
  backend.fill(0.0, before.view());
  start_vector(system, b, seed, v.view());
  Tridiagonal t;
  double largest = 0.0;
  while (true) {
    system.divide_by_magnitude(v.view(), z.view());
    const double square = system.dots(v.view(), z.view())[0];
    if (!std::isfinite(square)) return std::nullopt;
    const double beta = std::sqrt(std::max(0.0, square));
    t.next = t.diagonal.empty() ? 0.0 : beta;
    largest = std::max(largest, t.next);
    const bool ended = !t.diagonal.empty() && !(beta > exhausted * largest);
    if (ended || std::ssize(t.diagonal) == steps || !(beta > 0.0)) break;
    if (!t.diagonal.empty()) t.off_diagonal.push_back(beta);
    backend.scale_columns(ColumnScalars{1.0 / beta}, v.view());
    backend.scale_columns(ColumnScalars{1.0 / beta}, z.view());
    system.apply(z.view(), next.view());
    const double alpha = sign * system.dots(z.view(), next.view())[0];
    if (!std::isfinite(alpha)) return std::nullopt;
    t.diagonal.push_back(alpha);
    largest = std::max(largest, std::abs(alpha));
    backend.axpby(-alpha, v.view(), sign, next.view());
    if (t.diagonal.size() > 1) backend.axpby(-beta, before.view(), 1.0, next.view());
    std::swap(before, v);
    std::swap(v, next);
  }
  return t;
}

/// How far an eigenvalue may be from a Ritz value of that residual and distance to the next one.
double node_error(double residual, double gap) {
  return gap > 0.0 ? std::min(residual, residual * residual / gap) : residual;
}

}  // namespace

std::optional<JacobiSpectrum> jacobi_spectrum(LinearSystem& system, ConstView b, int steps,
                                              std::uint64_t seed) {
  const auto made = lanczos(system, b, std::min<int>(steps, b.rows), seed);
  if (!made || made->diagonal.empty()) return std::nullopt;
  const Tridiagonal& t = *made;
  JacobiSpectrum spectrum;
  const auto m = static_cast<Eigen::Index>(t.diagonal.size());
  spectrum.steps = static_cast<int>(m);
  spectrum.exhausted = m < steps;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const HostVector>(t.diagonal.data(), m),
                                Eigen::Map<const HostVector>(t.off_diagonal.data(), m - 1));
  spectrum.nodes = solver.eigenvalues();
  spectrum.weights = solver.eigenvectors().row(0).cwiseAbs2();
  const auto& nodes = spectrum.nodes;
  const HostVector residuals = t.next * solver.eigenvectors().row(m - 1).cwiseAbs();
  const double low_gap = m > 1 ? nodes[1] - nodes[0] : 0.0;
  const double high_gap = m > 1 ? nodes[m - 1] - nodes[m - 2] : 0.0;
  spectrum.interval.lowest =
      nodes[0] - std::min(node_error(residuals[0], low_gap), 0.5 * std::abs(nodes[0]));
  spectrum.interval.highest = nodes[m - 1] + node_error(residuals[m - 1], high_gap);
  spectrum.definite = system.sign() != 0 && nodes[0] > 0.0;
  return spectrum;
}

}  // namespace cisolve
