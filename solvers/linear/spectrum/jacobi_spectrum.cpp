#include "solvers/linear/spectrum/jacobi_spectrum.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/ranks/agree.hpp"
#include "core/dense/dense.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {
namespace {

// Off-diagonal elements of T below this part of the largest end the steps: the space is exhausted.
constexpr double exhausted = 1e-12;
// A node below this part of the highest one is zero, as far as rounding lets one tell.
constexpr double zero_node = 1e-14;

/// T of Lanczos in the inner product of |M|⁻¹: α on the diagonal, β_2 … β_m beside it; β_{m+1}.
struct Tridiagonal {
  std::vector<double> diagonal, off_diagonal;
  double next = 0.0;
  double largest = 0.0;  ///< of its elements
  bool ended = false;    ///< the space is exhausted

  int size() const { return static_cast<int>(diagonal.size()); }
};

constexpr int from_b = 0, from_random = 1, starts = 2;

/// V := the sum of B's columns, or random numbers where that is zero, and random numbers.
void start_vectors(LinearSystem& system, ConstView b, std::uint64_t seed, View v) {
  Backend& backend = system.backend();
  backend.fill_random(seed, 0, v);
  MultiVector sum(backend, b.rows, 1);
  backend.combine(1.0, b, HostMatrix::Ones(b.columns, 1), 0.0, sum.view());
  if (system.norms(sum.view())[0] > 0.0) backend.copy(sum.view(), v.slice(from_b, 1));
}

/// Takes the next β down; 0 where the recurrence ends with it.
double next_beta(double square, int steps, Tridiagonal& t) {
  const double beta = std::sqrt(std::max(0.0, square));
  const bool begins = t.diagonal.empty();
  t.next = begins ? 0.0 : beta;
  t.largest = std::max(t.largest, t.next);
  t.ended = begins ? !(beta > 0.0) : !(beta > exhausted * t.largest);
  if (t.ended || t.size() == steps) return 0.0;
  if (!begins) t.off_diagonal.push_back(beta);
  return beta;
}

/// A recurrence of its own for each start vector; none where a number is not finite. Traffic of a
/// step: 17 numbers a row and vector beside the product (two more where M is negative), two waits.
std::optional<std::vector<Tridiagonal>> lanczos(LinearSystem& system, ConstView b, int steps,
                                                std::uint64_t seed,
                                                const std::function<bool()>& go_on) {
  Backend& backend = system.backend();
  MultiVector before(backend, b.rows, starts), v(backend, b.rows, starts),
      z(backend, b.rows, starts), next(backend, b.rows, starts);
  const bool negative = system.sign() < 0;
  backend.fill(0.0, before.view());
  start_vectors(system, b, seed, v.view());
  std::vector<Tridiagonal> t(starts);
  while (!go_on || go_on()) {
    // β = (vᵀz)^½,  z = |M|⁻¹v;  v, z := v / β, z / β
    system.divide_by_magnitude(v.view(), z.view());
    const ColumnScalars squares = system.dots(v.view(), z.view());
    ColumnScalars beta(starts), inverse(starts);  // 0 of those that have ended
    for (int j = 0; j < starts; ++j) {
      if (!std::isfinite(squares[j])) return std::nullopt;
      if (!t[j].ended) beta[j] = next_beta(squares[j], steps, t[j]);
      if (beta[j] > 0.0) inverse[j] = 1.0 / beta[j];
    }
    if (beta == ColumnScalars(starts)) return t;
    backend.scale_columns(inverse, v.view());
    backend.scale_columns(inverse, z.view());
    // α = zᵀ(±Sz)
    system.apply(z.view(), next.view());
    if (negative) backend.scale_columns(ColumnScalars(starts, -1.0), next.view());
    const ColumnScalars alpha = system.dots(z.view(), next.view());
    for (int j = 0; j < starts; ++j) {
      if (!std::isfinite(alpha[j])) return std::nullopt;
      if (beta[j] == 0.0) continue;
      t[j].diagonal.push_back(alpha[j]);
      t[j].largest = std::max(t[j].largest, std::abs(alpha[j]));
    }
    // v_before, v := v, ±Sz − αv − β v_before
    system.add(-1.0, alpha, v.view(), next.view());
    system.add(-1.0, beta, before.view(), next.view());
    std::swap(before, v);
    std::swap(v, next);
  }
  return std::nullopt;
}

/// Nodes and weights of T, and the interval that they leave for eigenvalues.
struct Quadrature {
  HostVector nodes, weights;
  Interval interval;
};

/// Largest distance of an eigenvalue from a Ritz value of that residual and distance to the next
/// one.
double node_error(double residual, double gap) {
  return gap > 0.0 ? std::min(residual, residual * residual / gap) : residual;
}

Quadrature quadrature(const Tridiagonal& t, Communicator& ranks) {
  const Eigen::Index m = t.size();
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const HostVector>(t.diagonal.data(), m),
                                Eigen::Map<const HostVector>(t.off_diagonal.data(), m - 1));
  SymmetricEigen pairs{solver.eigenvalues(), solver.eigenvectors()};
  agree(ranks, pairs);
  Quadrature made{pairs.values, pairs.vectors.row(0).cwiseAbs2(), {}};
  const HostVector& nodes = made.nodes;
  const HostVector residuals = t.next * pairs.vectors.row(m - 1).cwiseAbs();
  const double low_gap = m > 1 ? nodes[1] - nodes[0] : 0.0;
  const double high_gap = m > 1 ? nodes[m - 1] - nodes[m - 2] : 0.0;
  made.interval.lowest =
      nodes[0] - std::min(node_error(residuals[0], low_gap), 0.5 * std::abs(nodes[0]));
  made.interval.highest = nodes[m - 1] + node_error(residuals[m - 1], high_gap);
  return made;
}

}  // namespace

std::optional<JacobiSpectrum> jacobi_spectrum(LinearSystem& system, ConstView b, int steps,
                                              std::uint64_t seed,
                                              const std::function<bool()>& go_on) {
  Communicator& ranks = system.backend().communicator();
  const auto most = std::min<std::int64_t>(steps, ranks.total(std::int64_t{b.rows}));
  const auto made = lanczos(system, b, static_cast<int>(most), seed, go_on);
  if (!made) return std::nullopt;
  const Tridiagonal &own = (*made)[from_b], &random = (*made)[from_random];
  if (own.diagonal.empty() || random.diagonal.empty()) return std::nullopt;
  const Quadrature of_b = quadrature(own, ranks), of_random = quadrature(random, ranks);
  JacobiSpectrum spectrum;
  spectrum.steps = std::max(own.size(), random.size());
  spectrum.exhausted = own.size() < steps;
  spectrum.nodes = of_b.nodes;
  spectrum.weights = of_b.weights;
  spectrum.random_nodes = of_random.nodes;
  spectrum.random_weights = of_random.weights;
  spectrum.interval = {std::min(of_b.interval.lowest, of_random.interval.lowest),
                       std::max(of_b.interval.highest, of_random.interval.highest)};
  spectrum.lowest_node = std::min(of_b.nodes[0], of_random.nodes[0]);
  spectrum.exhausted_all = spectrum.steps < steps;
  const double zero = zero_node * spectrum.interval.highest;
  spectrum.definite = system.sign() != 0 && spectrum.lowest_node > zero;
  spectrum.singular = system.sign() != 0 && std::abs(spectrum.lowest_node) <= zero;
  return spectrum;
}

}  // namespace cisolve
