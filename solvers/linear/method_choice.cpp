#include "solvers/linear/method_choice.hpp"

#include <spdlog/fmt/fmt.h>

#include <string>

#include "backends/ranks/communicator.hpp"
#include "solvers/linear/linear_verdict.hpp"
#include "solvers/linear/methods.hpp"
#include "solvers/linear/spectrum/linear_forecast.hpp"

namespace cisolve {
namespace {

LinearMethod choice(const LinearSystem& system, const LinearOptions& options,
                    const LinearResult& result) {
  if (!options.symmetric) return LinearMethod::bicgstab;
  if (!result.spectrum) return system.sign() != 0 ? LinearMethod::cg : LinearMethod::minres;
  if (!result.spectrum->definite) return LinearMethod::minres;
  return cheapest(result.forecasts).value_or(LinearMethod::cg);
}

}  // namespace

LinearMethod choose_method(LinearSystem& system, const LinearOptions& options,
                           const LinearResult& result) {
  return system.backend().communicator().of_first(choice(system, options, result));
}

bool needs_another(const LinearSystem& system, const LinearOptions& options, LinearResult& result) {
  const LinearMethodTraits& of_method = traits_of(options.method);
  if (!options.symmetric || !of_method.needs_definite) return false;
  // M⁻¹S may have only positive eigenvalues though M has both signs: a relaxation that needs no
  // interval is tried.
  const bool relaxation =
      of_method.weights != Weights::none && !needs_interval(of_method, options.omega);
  if (system.sign() == 0 && relaxation) return false;
  const bool definite = result.spectrum ? result.spectrum->definite : system.sign() != 0;
  if (definite) return false;
  const std::string what =
      system.sign() == 0
          ? "the shifted diagonal has elements of both signs: the matrix is indefinite"
          : fmt::format("the shifted matrix is {}: {} has an eigenvalue of {:.3g} or below",
                        result.spectrum->singular ? "singular to rounding" : "indefinite",
                        preconditioned_name(options.method), result.spectrum->lowest_node);
  result.notes.push_back(what + ", for which " + to_string(options.method) +
                         " does not converge; minres does, and a lower shift may");
  return true;
}

bool failed(SolveStatus status) {
  return status == SolveStatus::indefinite || status == SolveStatus::diverged ||
         status == SolveStatus::stagnated || status == SolveStatus::max_iterations;
}

bool needs_minres(LinearSystem& system, ConstView b, ConstView x, const LinearOptions& options,
                  const LinearResult& result) {
  return failed(result.status) && result.status != SolveStatus::max_iterations &&
         options.symmetric && options.method != LinearMethod::minres &&
         above_rounding(system, b, x, result);
}

}  // namespace cisolve
