#include "app/solve/eigen/checkpoints.hpp"

#include <array>
#include <utility>

#include "app/checkpoint/start_vectors.hpp"
#include "app/input/same_on_ranks.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// Vectors of the state are read in another order from here on.
template <class Turn>
void turn_vectors(SolverState& state, const Turn& turn) {
  state.read = [turn, read = std::move(state.read)](int j, HostMatrix& x, HostMatrix& ax) {
    read(j, x, ax);
    for (HostMatrix* v : {&x, &ax}) {
      if (v->rows() > 0) *v = turn(std::move(*v));
    }
  };
}

void take_over_rows(SolverState& state, const RowOrder* order, Index rows) {
  if (order == nullptr) return;
  turn_vectors(state, [order, rows](HostMatrix v) { return to_rows(order, rows, std::move(v)); });
}

/// Hands states on to a hook with vectors in that order.
CheckpointHook in_order(CheckpointHook hook, const RowOrder* order) {
  if (!hook || order == nullptr) return hook;
  return [order, hook = std::move(hook)](int iterations, bool last,
                                         const std::function<SolverState()>& state) {
    hook(iterations, last, [&] {
      SolverState made = state();
      turn_vectors(made, [order](HostMatrix v) { return from_rows(order, std::move(v)); });
      return made;
    });
  };
}

}  // namespace

Checkpoints::Checkpoints(const RunContext& context, HostMatrix start)
    : config_(context.config),
      ranks_(context.backend.communicator()),
      start_(std::move(start)),
      writer_(context.config, context.backend.communicator(), context.log) {
  if (config_.solver.restart.empty()) return;
  if (start_.cols() > 0) {
    throw InputError("solver.restart: " + config_.solver.restart.string() +
                     ", and start vectors are given");
  }
  restart_.emplace(config_.solver.restart, config_.solver.multiplicity);
  rotated_ = note_of_rotated_vectors(config_.solver.restart);
  if (!rotated_.empty()) context.log.inform(rotated_);
}

void Checkpoints::require_for(Model& model) {
  const bool vectors = start_.cols() > 0 || is_start_vectors(config_.solver.restart);
  const Determinants* const determinants = vectors ? model.determinants() : nullptr;
  const std::int64_t elements =
      determinants ? determinants->space().size() : std::int64_t{model.rows()};
  const std::int64_t rows = model.components() * elements;
  if (restart_) restart_->require_rows(elements, model.components());
  if (start_.cols() > 0 && start_.rows() != rows) {
    throw InputError("start vectors of " + std::to_string(start_.rows()) + " rows, expected " +
                     std::to_string(rows));
  }
  if (determinants && restart_) {
    require_determinants(config_.solver.restart, determinants->space(),
                         determinants->frozen_and_active().second);
  }
}

/// Ranks that begin from different numbers of vectors would wait for each other, or read beyond
/// them.
void Checkpoints::require_same_start() {
  const std::array mine{begin_from_->vectors, begin_from_->states};
  const std::string name =
      config_.solver.restart.empty() ? "start vectors" : config_.solver.restart.string();
  require_on_all_ranks(ranks_.of_first(mine) == mine, ranks_, name, "vectors");
}

void Checkpoints::attach(HeldMatrix& matrix, EigenOptions& options, CheckpointFacts& facts) {
  basis_ = matrix.basis();
  if (start_.cols() > 0) {
    begin_from_ = state_of_vectors(std::make_shared<const HostMatrix>(std::move(start_)));
    take_over_rows(*begin_from_, basis_->callers(), basis_->rows());
    require_same_start();
    options.begin_from = &*begin_from_;
  }
  if (!writer_.active() && !restart_) return;
  const Fingerprint fingerprint = matrix.fingerprint();
  if (restart_) {
    begin_from_ = restart_->state(fingerprint);
    const bool of_vectors = begin_from_->sectors.empty();
    take_over_rows(*begin_from_, of_vectors ? basis_->callers() : basis_->checkpoints(),
                   basis_->rows());
    require_same_start();
    facts.iterations = begin_from_->iterations;
    facts.operator_applications = begin_from_->operator_applications;
    facts.probe_applications = begin_from_->probe_applications;
    facts.seconds_before = begin_from_->seconds;
    options.begin_from = &*begin_from_;
  }
  options.checkpoint = in_order(writer_.hook(fingerprint, facts.iterations), basis_->checkpoints());
}

void Checkpoints::note(RunFacts& facts) const {
  facts.checkpoint.written = writer_.written();
  facts.checkpoint.seconds = writer_.seconds();
  if (!rotated_.empty()) facts.notes.push_back(rotated_);
  if (!writer_.failure().empty()) facts.notes.push_back(writer_.failure());
}

}  // namespace cisolve
