#include <algorithm>

#include "bench/comparison/contender.hpp"
#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve::comparison {
namespace {

/// The application's defaults: app/run/run.cpp and app/config/config.hpp.
PSpace p_space(const Problem& problem) {
  const CsrMatrix& h = problem.h.matrix();
  PSpace p;
  p.sectors = connected_sectors(h.row_offsets, h.column_indices);
  p.rows = p_space_rows(diagonal(h), p.sectors, h.nonzeros(), problem.states, 0, BackendKind::cpu);
  p.matrix = principal_submatrix(h, p.rows);
  return p;
}

template <EigenMethod method>
Outcome solve(const Problem& problem) {
  EigenOptions options;
  options.method = method;
  options.states = problem.states;
  options.tolerance = problem.tolerance;
  options.seed = problem.seed;
  const auto observer = [&](const EigenIteration&) {
    return problem.h.products() < problem.most_products;
  };
  const EigenResult result =
      lowest_eigenpairs(problem.h, problem.backend, p_space(problem), options, observer);
  Outcome outcome;
  outcome.products = problem.h.products();
  outcome.energies = result.energies;
  outcome.vectors = problem.backend.download(result.vectors.view());
  outcome.reported_residual =
      *std::max_element(result.residual_norms.begin(), result.residual_norms.end());
  outcome.says_converged = result.status == SolveStatus::converged;
  outcome.status = to_string(result.status);
  return outcome;
}

}  // namespace

std::vector<Method> own_methods() {
  const std::string library = std::string("cisolve ") + CISOLVE_VERSION;
  return {{library, "davidson", solve<EigenMethod::davidson>},
          {library, "lobpcg", solve<EigenMethod::lobpcg>},
          {library, "lanczos", solve<EigenMethod::lanczos>}};
}

}  // namespace cisolve::comparison
