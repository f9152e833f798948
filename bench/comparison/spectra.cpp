#include <Spectra/DavidsonSymEigsSolver.h>
#include <Spectra/SymEigsSolver.h>
#include <Spectra/Util/Version.h>

#include <stdexcept>

#include "bench/comparison/contender.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve::comparison {
namespace {

struct TooManyProducts : std::runtime_error {
  TooManyProducts() : std::runtime_error("stopped: too many products") {}
};

/// H in the words of both solvers.
class SpectraOperator {
 public:
  using Scalar = double;
  explicit SpectraOperator(const Problem& problem)
      : problem_(problem), diagonal_(cisolve::diagonal(problem.h.matrix())) {}

  Eigen::Index rows() const { return problem_.h.rows(); }
  Eigen::Index cols() const { return problem_.h.rows(); }
  double operator()(Eigen::Index i, Eigen::Index) const { return diagonal_[i]; }
  void perform_op(const double* x, double* y) const {
    if (problem_.h.products() >= problem_.most_products) throw TooManyProducts();
    problem_.h.multiply(x, y);
  }
  Eigen::MatrixXd operator*(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
    Eigen::MatrixXd y(x.rows(), x.cols());
    for (Eigen::Index j = 0; j < x.cols(); ++j) perform_op(x.col(j).data(), y.col(j).data());
    return y;
  }

 private:
  const Problem& problem_;
  std::vector<double> diagonal_;
};

std::string text(Spectra::CompInfo info) {
  switch (info) {
    case Spectra::CompInfo::Successful:
      return "Successful";
    case Spectra::CompInfo::NotComputed:
      return "NotComputed";
    case Spectra::CompInfo::NotConverging:
      return "NotConverging";
    case Spectra::CompInfo::NumericalIssue:
      return "NumericalIssue";
  }
  return "unknown";
}

template <class Solver>
void collect(const Solver& solver, Outcome& outcome) {
  const Eigen::VectorXd energies = solver.eigenvalues();
  outcome.energies.assign(energies.begin(), energies.end());
  outcome.vectors = solver.eigenvectors();
  outcome.says_converged = solver.info() == Spectra::CompInfo::Successful;
  outcome.status = text(solver.info());
}

/// Runs `compute`, then collects; a stop by the limit on products is a failure to converge.
template <class Solver, class Compute>
Outcome run(const Problem& problem, Solver& solver, const Compute& compute) {
  Outcome outcome;
  try {
    compute();
    outcome.products = problem.h.products();
    collect(solver, outcome);
  } catch (const std::exception& error) {
    outcome.products = problem.h.products();
    outcome.status = error.what();
  }
  return outcome;
}

/// The criterion is bound < tol·|θ|.
Outcome sym_eigs(const Problem& problem) {
  const double tolerance = relative_tolerance(problem);
  const Eigen::VectorXd start = random_vector(problem);
  SpectraOperator h(problem);
  Spectra::SymEigsSolver<SpectraOperator> solver(h, problem.states, krylov_basis(problem));
  return run(problem, solver, [&] {
    solver.init(start.data());
    solver.compute(Spectra::SortRule::SmallestAlge, 1000, tolerance,
                   Spectra::SortRule::SmallestAlge);
  });
}

/// The criterion is the residual norm itself. Starts from the lowest of the diagonal.
Outcome davidson(const Problem& problem) {
  SpectraOperator h(problem);
  Spectra::DavidsonSymEigsSolver<SpectraOperator> solver(h, problem.states);
  return run(problem, solver,
             [&] { solver.compute(Spectra::SortRule::SmallestAlge, 1000, problem.tolerance); });
}

Outcome davidson_from_p(const Problem& problem) {
  SpectraOperator h(problem);
  Spectra::DavidsonSymEigsSolver<SpectraOperator> solver(h, problem.states);
  const Eigen::MatrixXd start = p_space_guess(problem).vectors;
  return run(problem, solver, [&] {
    solver.compute_with_guess(start, Spectra::SortRule::SmallestAlge, 1000, problem.tolerance);
  });
}

}  // namespace

std::vector<Method> spectra_methods() {
  const std::string library = "Spectra " + std::to_string(SPECTRA_MAJOR_VERSION) + "." +
                              std::to_string(SPECTRA_MINOR_VERSION) + "." +
                              std::to_string(SPECTRA_PATCH_VERSION);
  return {{library, "SymEigsSolver", sym_eigs},
          {library, "DavidsonSymEigsSolver", davidson},
          {library, "DavidsonSymEigsSolver, P", davidson_from_p}};
}

}  // namespace cisolve::comparison
