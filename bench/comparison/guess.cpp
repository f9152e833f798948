#include <Eigen/QR>
#include <cmath>

#include "bench/comparison/contender.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::comparison {

/// The lowest eigenvectors of the p-space with a random part of a thousandth in every row.
Guess p_space_guess(const Problem& problem) {
  constexpr double random_part = 1e-3;
  const CsrMatrix& h = problem.h.matrix();
  const std::vector<Index> rows = lowest_diagonal_rows(diagonal(h), 500);
  const HostMatrix matrix = principal_submatrix(h, rows);
  const SymmetricEigen lowest = symmetric_eigen(matrix, problem.states);
  MultiVector random(problem.backend, h.rows, problem.states);
  problem.backend.fill_random(problem.seed + 1, 0, random.view());
  Eigen::MatrixXd start =
      random_part * std::sqrt(3.0 / h.rows) * problem.backend.download(random.view());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    start.row(rows[r]) += lowest.vectors.row(static_cast<Eigen::Index>(r));
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(start);
  const double energy = lowest.values[0];
  return {energy, 2.0 * energy - matrix.diagonal().minCoeff(),
          qr.householderQ() * Eigen::MatrixXd::Identity(start.rows(), start.cols())};
}

double relative_tolerance(const Problem& problem) {
  const std::vector<double> d = diagonal(problem.h.matrix());
  return problem.tolerance / std::abs(*std::min_element(d.begin(), d.end()));
}

Eigen::VectorXd random_vector(const Problem& problem) {
  Eigen::VectorXd x(problem.h.rows());
  problem.backend.fill_random(problem.seed, 0, {x.data(), problem.h.rows(), 1, 1});
  return x;
}

}  // namespace cisolve::comparison
