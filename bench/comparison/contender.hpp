#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "solvers/p_space.hpp"

/// Eigensolvers of several libraries behind one call, on one matrix with one product.
namespace cisolve::comparison {

/// H in this program's CSR on the CPU: everyone's product, so that only the solvers differ. Counts
/// the products, a block of k as k.
class CountedHamiltonian : public LinearOperator {
 public:
  CountedHamiltonian(std::shared_ptr<const CsrMatrix> matrix, Backend& backend)
      : matrix_(matrix), csr_(make_operator("csr", std::move(matrix), backend)) {}

  const CsrMatrix& matrix() const { return *matrix_; }
  std::int64_t products() const { return products_; }
  void reset() { products_ = 0; }

  /// y := Hx for one vector.
  void multiply(const double* x, double* y) const {
    apply(1.0, {x, rows(), 1, 1}, 0.0, {y, rows(), 1, 1});
  }

  Index rows() const override { return csr_->rows(); }
  Index columns() const override { return csr_->columns(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    products_ += x.columns;
    csr_->apply(alpha, x, beta, y);
  }
  void diagonal(View d) const override { csr_->diagonal(d); }
  OperatorInfo info() const override { return csr_->info(); }

 private:
  std::shared_ptr<const CsrMatrix> matrix_;
  std::unique_ptr<LinearOperator> csr_;
  mutable std::int64_t products_ = 0;
};

struct Problem {
  CountedHamiltonian& h;
  Backend& backend;
  int states = 1;
  double tolerance = 1e-6;  ///< on ‖Hx − θx‖₂, x normalised
  std::uint64_t seed = 1;
  std::int64_t most_products = 0;  ///< a solve is stopped near this number
};

/// Result of a library, in its own words.
struct Outcome {
  std::vector<double> energies;
  Eigen::MatrixXd vectors;  ///< n × energies
  /// The library's own largest residual norm of the states asked for; NaN where it reports none.
  double reported_residual = std::numeric_limits<double>::quiet_NaN();
  bool says_converged = false;
  std::string status;
  std::int64_t products = 0;  ///< until the library was done
};

struct Method {
  std::string library;  ///< with its version
  std::string name;
  Outcome (*solve)(const Problem&);
};

std::vector<Method> own_methods();
std::vector<Method> slepc_methods();
std::vector<Method> spectra_methods();
std::vector<Method> arpack_methods();

/// The k lowest states by ARPACK, for reference values.
Outcome arpack_lowest(const Problem& problem);

/// Estimates before the first product, from a P-space of the 500 lowest diagonal elements.
struct Guess {
  double energy = 0.0;      ///< the lowest eigenvalue of H_PP, below all of the diagonal
  double below = 0.0;       ///< as far below it as it is below the diagonal
  Eigen::MatrixXd vectors;  ///< n × states, orthonormal: eigenvectors of H_PP, slightly disturbed
};
Guess p_space_guess(const Problem& problem);

/// The tolerance relative to the energies, for libraries whose criterion is ‖r‖ ≤ tol·|θ|: over the
/// size of the lowest diagonal element, from which the lowest energies differ by a percent or less.
double relative_tolerance(const Problem& problem);

/// A random vector, the same for the same seed.
Eigen::VectorXd random_vector(const Problem& problem);

/// Basis vectors of the Lanczos methods: SciPy's choice.
inline int krylov_basis(const Problem& problem) {
  return std::min<int>(problem.h.rows(), std::max(2 * problem.states + 1, 20));
}

}  // namespace cisolve::comparison
