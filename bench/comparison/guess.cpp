#include <Eigen/QR>
#include <cmath>

#include "bench/comparison/contender.hpp"
#include "core/dense.hpp"
#include "solvers/start_vectors.hpp"

namespace cisolve::comparison {

Guess p_space_guess(const Problem& problem) {
  const CsrMatrix& h = problem.h.matrix();
  PSpace p;
  p.rows = lowest_diagonal_rows(diagonal(h), 500);
  p.matrix = principal_submatrix(h, p.rows);
  MultiVector vectors(problem.backend, h.rows, problem.states);
  MultiVector scratch(problem.backend, h.rows, problem.states);
  start_vectors(problem.backend, p, problem.seed, vectors.view(), scratch.view());
  const Eigen::MatrixXd start = problem.backend.download(vectors.view());
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(start);
  const double energy = symmetric_eigen(p.matrix, 1).values[0];
  return {energy, 2.0 * energy - p.matrix.diagonal().minCoeff(),
          qr.householderQ() * Eigen::MatrixXd::Identity(start.rows(), start.cols())};
}

double relative_tolerance(const Problem& problem) {
  const std::vector<double> d = diagonal(problem.h.matrix());
  return problem.tolerance / std::abs(*std::min_element(d.begin(), d.end()));
}

Eigen::VectorXd random_vector(const Problem& problem) {
  Eigen::VectorXd x(problem.h.rows());
  random_vectors(problem.backend, problem.seed, {x.data(), problem.h.rows(), 1, 1});
  return x;
}

}  // namespace cisolve::comparison
