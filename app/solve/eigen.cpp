#include "app/solve/eigen.hpp"

#include <spdlog/fmt/fmt.h>

#include <optional>
#include <utility>

#include "app/checkpoint/checkpoint.hpp"
#include "app/checkpoint/checkpoint_file.hpp"
#include "app/checkpoint/start_vectors.hpp"
#include "app/input/rank_source.hpp"
#include "app/solve/facts.hpp"
#include "app/solve/matrix_scale.hpp"
#include "app/solve/operator_stage.hpp"
#include "app/solve/slepc_stage.hpp"
#include "app/solve/solver_options.hpp"
#include "app/solve/state_outputs.hpp"
#include "app/states/projection.hpp"
#include "app/states/spin_projection.hpp"
#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"
#include "hamiltonian/direct/direct_product.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

/// Checkpoints of a run, written and gone on from.
class Checkpoints {
 public:
  /// Throws InputError where the file to restart from cannot be one.
  Checkpoints(const RunContext& context, HostMatrix start)
      : config_(context.config),
        start_(std::move(start)),
        writer_(context.config, context.backend.communicator(), context.log) {
    if (start_.cols() > 0 && !config_.solver.restart.empty()) {
      throw InputError("solver.restart: " + config_.solver.restart.string() +
                       ", and start vectors are given");
    }
    if (!config_.solver.restart.empty()) {
      restart_.emplace(config_.solver.restart, config_.solver.multiplicity);
    }
  }

  /// Throws InputError where the file is of a matrix with another number of rows.
  void require_rows(std::int64_t rows) {
    if (restart_) restart_->require_rows(rows);
    if (start_.cols() > 0 && start_.rows() != rows) {
      throw InputError("start vectors of " + std::to_string(start_.rows()) + " rows, expected " +
                       std::to_string(rows));
    }
  }
  /// What is begun from are vectors over determinants, and no state of a solver.
  bool of_vectors() const { return start_.cols() > 0 || is_start_vectors(config_.solver.restart); }

  /// Sets what the solver writes and begins from, for that matrix. Throws InputError where the file
  /// is of another one.
  void attach(MatrixSource& matrix, EigenOptions& options, CheckpointFacts& facts) {
    if (start_.cols() > 0) {
      direct_ = matrix.direct();
      begin_from_ = state_of_vectors(std::make_shared<const HostMatrix>(std::move(start_)));
      if (direct_) take_determinants(*begin_from_);
      options.begin_from = &*begin_from_;
    }
    if (!writer_.active() && !restart_) return;
    direct_ = matrix.direct();
    const Fingerprint fingerprint = matrix.fingerprint();
    if (restart_) {
      begin_from_ = restart_->state(fingerprint);
      if (direct_) take_determinants(*begin_from_);
      facts.iterations = begin_from_->iterations;
      facts.operator_applications = begin_from_->operator_applications;
      facts.probe_applications = begin_from_->probe_applications;
      facts.seconds_before = begin_from_->seconds;
      options.begin_from = &*begin_from_;
    }
    options.checkpoint = writer_.hook(fingerprint, facts.iterations);
    if (direct_ && options.checkpoint) options.checkpoint = over_determinants(options.checkpoint);
  }

  void note(RunFacts& facts) const {
    facts.checkpoint.written = writer_.written();
    facts.checkpoint.seconds = writer_.seconds();
    if (!writer_.failure().empty()) facts.notes.push_back(writer_.failure());
  }

 private:
  /// Files have vectors over determinants, as of stored matrices; where those of one parity alone
  /// are wanted, which need no more than the half of it, over rows as one rank has them.
  bool has_all() const { return direct_->rows.size() == direct_->layout.size(); }

  void take_determinants(SolverState& state) const {
    const bool over_rows = !has_all() && !state.sectors.empty();
    if (over_rows && direct_->rows.parts() == 1) return;
    state.read = [direct = direct_, over_rows, read = std::move(state.read)](int j, HostMatrix& x,
                                                                             HostMatrix& ax) {
      read(j, x, ax);
      for (HostMatrix* v : {&x, &ax}) {
        if (v->rows() == 0) continue;
        HostMatrix rows(direct->rows.size(), 1);
        if (over_rows) {
          rows = direct->rows.from_one_part(v->col(0));
        } else {
          direct->rows.from_space(v->data(), v->cols(), rows.data(), 1);
        }
        *v = std::move(rows);
      }
    };
  }

  CheckpointHook over_determinants(CheckpointHook hook) const {
    if (!has_all() && direct_->rows.parts() == 1) return hook;
    return [direct = direct_, all = has_all(), hook = std::move(hook)](
               int iterations, bool last, const std::function<SolverState()>& state) {
      hook(iterations, last, [&] {
        SolverState made = state();
        made.read = [direct, all, read = std::move(made.read)](int j, HostMatrix& x,
                                                               HostMatrix& ax) {
          read(j, x, ax);
          const DirectRows& rows = direct->rows;
          x = all ? rows.to_space(x.col(0)) : rows.to_one_part(x.col(0));
          ax = all ? rows.to_space(ax.col(0)) : rows.to_one_part(ax.col(0));
        };
        return made;
      });
    };
  }

  const RunConfig& config_;
  HostMatrix start_;                            ///< vectors to begin from; none: no columns
  std::shared_ptr<const DirectTables> direct_;  ///< of the matrix, where products are made so
  CheckpointWriter writer_;
  std::optional<RestartFile> restart_;
  std::optional<SolverState> begin_from_;
};

/// The solver's need, of a rank, with what is made after the plan: vectors of scratch.
MemoryNeed solve_memory(const RunConfig& config, const EigenOptions& options, Index rows,
                        int scratch, Communicator& ranks) {
  MemoryNeed need = eigen_memory(config, options, rows);
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(rows) * scratch;
  need.for_all_vectors([=](SolverVectors& v) { v.others += bytes; });
  need.vectors_of_one_state += bytes;
  return need_of_a_rank(need, rows, ranks);
}

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

}  // namespace

void require_states(int states, Index rows, const std::string& key) {
  if (states <= rows) return;
  throw InputError(key + ": more states than determinants: " + std::to_string(states) +
                   " asked for, the matrix has " + std::to_string(rows) + " rows");
}

EigenOutcome solve_eigenproblem(const RunContext& context, const OpenSource& open,
                                const Observers& observers, HostMatrix start) {
  const auto& [config, backend, log, begun] = context;
  require_consistent(config);
  Communicator& ranks = backend.communicator();
  const Communicator::Traffic before = ranks.traffic();
  OperatorStage stage(context);
  SlepcStage slepc(context);
  Checkpoints checkpoints(context, std::move(start));
  EigenOutcome outcome;
  RunFacts& facts = outcome.facts = facts_of(context);
  add_notes(facts, stage.take_notes());
  EigenOptions options = without_matrix(eigen_options(config));

  const auto source = timed(facts.seconds.read, [&] { return open_square(open, stage); });
  StateOutputs outputs(config, *source);
  facts.units = source->units();
  facts.rows = source->rows();
  outputs.require_vectors_over(facts.rows);
  // Vectors are over determinants, whatever the rows are.
  const bool of_vectors = checkpoints.of_vectors() && source->of_determinants();
  checkpoints.require_rows(of_vectors ? source->space()->size() : facts.rows);
  if (of_vectors && !config.solver.restart.empty()) {
    require_determinants(config.solver.restart, *source->space(),
                         source->frozen_and_active().second);
  }
  require_states(options.states, facts.rows, "solver.states");

  facts.multiplicity = config.solver.multiplicity;
  const auto multiplicity = requested_multiplicity(config, *source);
  auto direct = timed(facts.seconds.build, [&] {
    const int columns = product_columns(options, facts.rows);
    const int scratch =
        spin_scratch(config.solver, columns) + callers_scratch(config.solver, columns);
    return stage.hold_direct(*source, solve_memory(config, options, facts.rows, scratch, ranks),
                             columns);
  });
  if (!direct) options = eigen_options(config);
  const int columns = product_columns(options, facts.rows);
  // S² is stored where the matrix is, and with its scratch before there is a plan for that.
  const MemoryNeed need =
      solve_memory(config, options, facts.rows, callers_scratch(config.solver, columns), ranks);
  if (!direct) stage.require_room(*source, need);
  std::shared_ptr<const CsrMatrix> stored_spin;
  std::unique_ptr<SpinProjector> projector;
  if (multiplicity && !direct) {
    if (!ranks.alone()) {
      throw InputError(
          "solver.multiplicity: not over several ranks, but of full CI by products "
          "without a matrix (operator: direct)");
    }
    stored_spin = timed(facts.seconds.build, [&] { return stored_s_squared(*source); });
    projector = std::make_unique<SpinProjector>(make_operator("csr", stored_spin, backend), backend,
                                                *multiplicity, columns);
  }
  HeldMatrix held = timed(facts.seconds.build, [&] {
    HeldMatrix made = direct ? std::move(*direct) : stage.hold(*source, need, columns);
    made.source->csr();  // built here, where it is held so
    return made;
  });
  outcome.direct = held.source->direct();
  facts.operator_reason = stage.operator_reason();
  add_notes(facts, source->notes());
  timed(facts.seconds.read, [&] { checkpoints.attach(*held.source, options, facts.checkpoint); });
  PSpace p_space =
      p_space_stage(*held.source, std::move(stored_spin), config.solver, backend.kind(), facts);
  if (multiplicity) {
    p_space.sectors.dimensions = timed(facts.seconds.build, [&] {
      return states_by_sector(*source->space(), p_space.sectors, outcome.direct.get(),
                              multiplicity->multiplicity);
    });
  }
  slepc.take_rows(*held.source);
  if (!ranks.alone()) {
    const RowPartition parts = held.source->parts();
    p_space.sectors =
        labels_of_rows(p_space.sectors, parts.first(ranks.rank()), parts.count(ranks.rank()));
  }
  MadeOperator made = timed(facts.seconds.convert, [&] {
    return stage.make(std::move(held), *source, need, columns, true);
  });
  add_notes(facts, stage.take_notes());
  note_operator(made, facts);
  keep_to(facts.memory, options);
  if (multiplicity && outcome.direct) {
    const auto& product = dynamic_cast<const DirectOperator&>(*made.a);
    projector = std::make_unique<SpinProjector>(make_s_squared(product, backend), backend,
                                                *multiplicity, columns);
  }
  options.scale = scale_of(facts.units, *made.a, backend);
  options.project =
      projector_of(projector.get(), config.solver.project, backend, outcome.direct.get());
  // Blocks of the matrix need not be the caller's projector's, nor need irreps and parities.
  if (config.solver.project) p_space.sectors = {};

  if (observers.begin) observers.begin();
  const auto observer = [&](const EigenIteration& iteration) {
    outcome.history.add(iteration);
    return !observers.eigen || observers.eigen(iteration);
  };
  const Communicator::Traffic before_solve = ranks.traffic();
  if (config.solver.engine == Engine::slepc) slepc.solve(*made.a, observer, options, facts);
  p_space.seconds += slepc.seconds();
  outcome.result = lowest_eigenpairs(*made.a, backend, p_space, options, observer);
  if (observers.end) observers.end();
  facts.solve_traffic = since(before_solve, ranks.traffic());
  slepc.add_to(outcome.result);
  facts.seconds.solve = outcome.result.seconds;
  facts.matrix = made.a->info();  // no longer in single precision, or in another format
  facts.format_choice = stage.choice(made);
  add_notes(facts, stage.take_notes());
  checkpoints.note(facts);
  for (const std::string& note : outcome.result.notes) add_note(facts, log, note);
  note_attainable(context, outcome.result, facts);

  outcome.analysis = timed(facts.seconds.analysis, [&] {
    return analyse_states(outcome.result, std::move(made.a), backend, *source, outcome.direct.get(),
                          config);
  });
  add_notes(facts, outcome.analysis.notes);
  timed(facts.seconds.analysis, [&] { outputs.add(context, outcome); });
  note_memory(facts);
  facts.traffic = since(before, ranks.traffic());
  facts.seconds.total = begun.seconds();
  return outcome;
}

}  // namespace cisolve
