#include "app/library/eigenstates.hpp"

#include <memory>
#include <utility>

#include "app/library/session.hpp"
#include "app/report/eigen_report.hpp"
#include "app/report/report.hpp"
#include "app/select/selected_start.hpp"
#include "app/solve/eigen/eigen.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

std::vector<Eigenstate> states_of(const EigenResult& result, const EigenAnalysis& analysis) {
  std::vector<Eigenstate> states(result.energies.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    Eigenstate& state = states[i];
    state.energy = result.energies[i];
    state.residual_norm = result.residual_norms[i];
    state.energy_change = result.energy_changes[i];
    state.converged = result.converged[i];
    if (i >= analysis.states.size()) continue;
    const StateAnalysis& known = analysis.states[i];
    state.leading = known.leading;
    state.irrep = known.irrep;
    state.irrep_name = known.irrep_name;
    state.s_squared = known.s_squared;
    state.multiplicity = known.multiplicity;
    state.rank_weights = known.rank_weights;
    state.natural_occupations = known.natural_occupations;
    state.nucleons = known.nucleons;
  }
  return states;
}

/// Throws InputError where the numbers are not of whole vectors.
HostMatrix matrix_of(const VectorBlock& start) {
  const auto size = static_cast<std::int64_t>(start.values.size());
  if (size == 0) return {};
  if (start.columns < 1 || size % start.columns != 0) {
    throw InputError("start vectors: " + std::to_string(size) + " numbers are not of " +
                     std::to_string(start.columns) + " vectors");
  }
  return Eigen::Map<const HostMatrix>(start.values.data(), size / start.columns, start.columns);
}

/// Keeps what reports say of the outcome, and not the caller's projector.
Report report_of(RunConfig config, EigenOutcome outcome) {
  config.solver.project = nullptr;
  struct Facts {
    RunConfig config;
    EigenOutcome outcome;
  };
  const auto facts =
      std::make_shared<const Facts>(Facts{std::move(config), without_vectors(std::move(outcome))});
  return Report([facts] { return report_text(eigen_json(facts->config, facts->outcome)); });
}

}  // namespace

Eigenstates eigenstates_of(const EigenOutcome& outcome, const Session& session) {
  Eigenstates made;
  made.status = outcome.result.status;
  made.verified = outcome.result.verified;
  made.scale = outcome.result.scale;
  made.excluded_gap = outcome.result.exclusion.gap;
  made.states = states_of(outcome.result, outcome.analysis);
  const HostMatrix vectors = outcome.vectors(session.backend());
  made.rows = vectors.rows() / outcome.components;
  made.components = outcome.components;
  made.vectors = by_rows(vectors);
  made.iterations = outcome.result.iterations;
  made.operator_applications = outcome.result.operator_applications;
  made.probe_applications = outcome.result.probe_applications;
  made.seconds = outcome.result.seconds;
  made.notes = outcome.facts.notes;
  return made;
}

Eigenstates lowest_eigenstates(const Hamiltonian& hamiltonian, const EigenSettings& settings,
                               const Call<EigenObserver>& call) {
  RunConfig config = library_config(Task::eigen);
  static_cast<EigenSettings&>(config.solver) = settings;
  const Session session(hamiltonian, std::move(config), call.machine, call.listener);
  const Entry entry(session);
  Observers observers;
  observers.eigen = call.observer;
  EigenOutcome outcome =
      solve_eigenproblem(session.context(), session.open(), observers, matrix_of(call.start),
                         selected_start(session.context(), [] { return true; }));
  Eigenstates made = eigenstates_of(outcome, session);
  made.report = report_of(session.config(), std::move(outcome));
  return made;
}

}  // namespace cisolve
