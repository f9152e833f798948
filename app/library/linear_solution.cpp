#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/library/session.hpp"
#include "app/report/linear_report.hpp"
#include "app/report/report.hpp"
#include "app/solve/linear/linear.hpp"
#include "cisolve/linear.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// A block as a matrix.
HostMatrix block_of(const VectorBlock& block, const std::string& name) {
  const auto& [numbers, k] = block;
  if (k < 1 || numbers.empty() || numbers.size() % k != 0) {
    throw InputError(name + ": found " + std::to_string(numbers.size()) + " numbers in " +
                     std::to_string(k) + " columns, expected rows x columns");
  }
  if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); })) {
    throw InputError(name + ": found NaN or infinity, expected finite numbers");
  }
  const auto rows = static_cast<Eigen::Index>(numbers.size() / k);
  return Eigen::Map<const HostMatrix>(numbers.data(), rows, k);
}

/// Keeps what reports say of the outcome: nothing that is on the backend.
Report report_of(RunConfig config, LinearOutcome outcome) {
  outcome.x = {};
  outcome.basis.reset();
  struct Facts {
    RunConfig config;
    LinearOutcome outcome;
  };
  const auto facts = std::make_shared<const Facts>(Facts{std::move(config), std::move(outcome)});
  return Report([facts] { return report_text(linear_json(facts->config, facts->outcome)); });
}

}  // namespace

LinearSolution solve_system(const Hamiltonian& hamiltonian, const VectorBlock& b,
                            const LinearSettings& settings, const Call<LinearObserver>& call) {
  RunConfig config = library_config(Task::linear);
  static_cast<LinearSettings&>(config.linear) = settings;
  config.linear.rhs = "b";  // what messages call them
  GivenVectors given{{block_of(b, "b"), 0}, {}, 0};
  if (!call.start.values.empty()) {
    given.x0 = {block_of(call.start, "start"), 0};
    config.linear.x0 = "start";
  }
  const Session session(hamiltonian, std::move(config), call.machine, call.listener);
  const Entry entry(session);
  Observers observers;
  observers.linear = call.observer;
  LinearOutcome outcome = solve_linear_system(
      session.context(), session.open(), [&] { return std::move(given); }, observers);

  LinearSolution made;
  made.status = outcome.result.status;
  made.method = outcome.result.method;
  made.x = by_rows(outcome.solution(session.backend()));
  made.residual_norms = outcome.result.residual_norms;
  made.relative_residuals = outcome.result.relative_residuals;
  made.iterations = outcome.result.iterations;
  made.operator_applications = outcome.result.operator_applications;
  made.seconds = outcome.result.seconds;
  made.notes = outcome.facts.notes;
  made.report = report_of(session.config(), std::move(outcome));
  return made;
}

}  // namespace cisolve
