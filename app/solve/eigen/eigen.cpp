#include "app/solve/eigen/eigen.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <new>
#include <utility>

#include "app/prepare/preparation.hpp"
#include "app/solve/eigen/checkpoints.hpp"
#include "app/solve/eigen/eigen_purpose.hpp"
#include "app/solve/eigen/slepc_stage.hpp"
#include "app/solve/eigen/solved_model.hpp"
#include "app/solve/eigen/state_outputs.hpp"
#include "app/solve/facts.hpp"
#include "app/solve/solver_options.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

void note_attainable(const RunContext& context, const EigenResult& result, RunFacts& facts) {
  const SolverConfig& solver = context.config.solver;
  if (solver.stop_by == StopBy::energy || result.tolerance >= result.attainable_residual) return;
  add_note(
      facts, context.log,
      fmt::format("{}: {} is below what double precision allows for this "
                  "matrix, about {:.1e}; the solve aimed at that{}",
                  solver.tolerance ? "solver.tolerance" : "the default tolerance", result.tolerance,
                  result.attainable_residual,
                  traits_of(solver.method).corrects
                      ? ""
                      : "; davidson and lobpcg, which divide by the diagonal, may come further"));
}

/// Note on a search for lower states that did not come to its end.
void note_search(const RunContext& context, const EigenResult& result, RunFacts& facts) {
  const Exclusion& exclusion = result.exclusion;
  if (context.config.solver.verify == Verify::off || result.verified) return;
  std::string note;
  if (!exclusion.cut_short.empty()) {
    note = "the search for lower states was cut short: " + exclusion.cut_short;
  } else if (result.status == SolveStatus::max_iterations ||
             result.status == SolveStatus::time_limit) {
    note = "lower states were not searched for: " + to_string(result.status) + " ended the solve";
  } else {
    return;
  }
  note += std::isfinite(exclusion.gap) ? "; what it excludes is reported"
                                       : "; states may have been missed";
  facts.notes.push_back(note);
  context.log.inform(note);
}

/// Leading rows that the model has names for.
void name_rows(const Model& model, EigenAnalysis& analysis) {
  for (StateAnalysis& state : analysis.states) {
    for (LeadingRow& row : state.leading) {
      if (row.occupation.empty()) row.occupation = model.row_name(row.row);
    }
  }
}

/// Vectors that the solve begins from where none are given; none: as the solver does.
MadeStart begin_from_made(const MakeStart& make_start, const Model& model, Checkpoints& checkpoints,
                          const Log& log, RunFacts& facts) {
  MadeStart made;
  if (!make_start || !checkpoints.begins_anew()) return made;
  made = make_start(model);
  if (!made.note.empty()) {
    facts.notes.push_back(made.note);
    log.inform(made.note);
  }
  checkpoints.begin_from(std::move(made.vectors));
  return made;
}

/// The block that corrections divide by; none where it has no room.
std::shared_ptr<const InnerBlock> inner_block(const MakeInner& make, const Prepared& prepared,
                                              const EigenPurpose& purpose,
                                              const EigenOptions& options, RunFacts& facts) {
  std::string reason;
  try {
    const int columns = product_columns(options, prepared.a->rows());
    return timed(facts.seconds.build,
                 [&] { return make(prepared, purpose.p_space.sectors, columns); });
  } catch (const ResourceError& error) {
    reason = error.what();
  } catch (const std::bad_alloc&) {
    reason = "out of memory";
  }
  facts.notes.push_back(
      "corrections divide by the diagonal, since the Hamiltonian over the "
      "selected determinants has no room: " +
      reason);
  return nullptr;
}

/// Solves by SLEPc first if it is the engine, then, or alone, by the program's own solver.
void solve(const RunContext& context, const SolvedModel& solved, LinearOperator& a,
           EigenPurpose& purpose, EigenOptions options, SlepcStage& slepc,
           const Observers& observers, EigenOutcome& outcome) {
  RunFacts& facts = outcome.facts;
  Communicator& ranks = context.backend.communicator();
  const Communicator::Traffic before = ranks.traffic();
  const EigenObserver observer = solved.over_states([&](const EigenIteration& iteration) {
    outcome.history.add(iteration);
    return !observers.eigen || observers.eigen(iteration);
  });
  if (observers.begin) observers.begin();
  if (context.config.solver.engine == Engine::slepc) slepc.solve(a, observer, options, facts);
  purpose.p_space.seconds += slepc.seconds();
  outcome.result = lowest_eigenpairs(a, context.backend, purpose.p_space, options, observer);
  if (observers.end) observers.end();
  facts.solve_traffic = since(before, ranks.traffic());
  slepc.add_to(outcome.result);
  facts.seconds.solve = outcome.result.seconds;
  for (const std::string& note : outcome.result.notes) add_note(facts, context.log, note);
  note_attainable(context, outcome.result, facts);
  note_search(context, outcome.result, facts);
}

}  // namespace

void require_states(int states, Index rows, const std::string& key) {
  if (states <= rows) return;
  throw InputError(key + ": more states than rows: " + std::to_string(states) +
                   " asked for, the matrix has " + std::to_string(rows) + " rows");
}

EigenOutcome solve_eigenproblem(const RunContext& context, const OpenModel& open,
                                const Observers& observers, HostMatrix start,
                                const MakeStart& make_start) {
  const auto& [config, backend, log, begun] = context;
  require_consistent(config);
  const Communicator::Traffic before = backend.communicator().traffic();
  EigenOutcome outcome;
  RunFacts& facts = outcome.facts = facts_of(context);
  Preparation preparation(context, facts);
  SlepcStage slepc(context);
  Checkpoints checkpoints(context, std::move(start));

  const auto model = timed(facts.seconds.read, [&] { return preparation.open_square(open); });
  StateOutputs outputs(config, *model);
  const SolvedModel solved(*model, config);
  facts.units = model->units();
  facts.rows = solved.model().rows();
  facts.components = solved.model().components();
  require_for_elements(context, facts.rows, facts.components);
  facts.multiplicity = config.solver.multiplicity;
  outputs.require_vectors_over(model->rows());
  checkpoints.require_for(solved.model());
  checkpoints.turn_start([&](HostMatrix x) { return solved.start(std::move(x)); });
  require_states(config.solver.states, model->rows(), "solver.states");
  const MadeStart made = begin_from_made(make_start, *model, checkpoints, log, facts);

  const RunContext of_solver{solved.config(), backend, log, begun};
  EigenPurpose purpose(of_solver, solved.model(), checkpoints, slepc, facts);
  Prepared prepared = preparation.prepare(solved.model(), purpose);
  outcome.basis = prepared.basis;
  EigenOptions options = purpose.options(prepared);
  if (made.inner) {
    purpose.p_space.inner = inner_block(made.inner, prepared, purpose, options, facts);
  }
  solve(context, solved, *prepared.a, purpose, std::move(options), slepc, observers, outcome);
  purpose.p_space.inner.reset();
  note_end(prepared, facts);  // no longer in single precision, or in another format
  checkpoints.note(facts);

  outcome.analysis = timed(facts.seconds.analysis, [&] {
    solved.unfold(outcome, backend);
    return analyse_states(
        outcome.result, std::move(prepared.a), outcome.components, backend, model->determinants(),
        [&] { return solved.reader(*prepared.held, backend); }, config);
  });
  name_rows(*model, outcome.analysis);
  prepared.held.reset();  // a direct operator goes with it
  add_notes(facts, outcome.analysis.notes);
  timed(facts.seconds.analysis, [&] { outputs.add(context, outcome); });
  note_memory(facts);
  facts.traffic = since(before, backend.communicator().traffic());
  facts.seconds.total = begun.seconds();
  return outcome;
}

}  // namespace cisolve
