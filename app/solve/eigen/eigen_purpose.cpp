#include "app/solve/eigen/eigen_purpose.hpp"

#include <utility>

#include "app/input/determinants/parity_of_rows.hpp"
#include "app/solve/eigen/matrix_scale.hpp"
#include "app/solve/facts.hpp"
#include "app/solve/solver_options.hpp"
#include "app/states/projection.hpp"
#include "app/ways/stored/rank_way.hpp"
#include "core/error.hpp"
#include "formats/format.hpp"

namespace cisolve {

EigenPurpose::EigenPurpose(const RunContext& context, Model& model, Checkpoints& checkpoints,
                           SlepcStage& slepc, RunFacts& facts)
    : context_(context),
      model_(model),
      checkpoints_(checkpoints),
      slepc_(slepc),
      facts_(facts),
      multiplicity_(requested_multiplicity(context.config, model.determinants(), model.nature())) {
  if (context.config.solver.project && !context.backend.communicator().alone()) {
    throw InputError("a caller's projector: not over several ranks");
  }
  rows_not_stored_ = facts.rows;
  if (!multiplicity_) return;
  const Determinants& determinants = *model.determinants();
  const SpinInversion parity = parity_of_rows(context.config, determinants);
  if (parity == SpinInversion::all) return;
  multiplicity_->one_parity = true;
  rows_not_stored_ = determinants.rows_of(parity);
}

EigenOptions EigenPurpose::options_for(bool stored) const {
  EigenOptions options = eigen_options(context_.config);
  return stored ? options : without_matrix(std::move(options));
}

int EigenPurpose::columns(bool stored) const {
  return product_columns(options_for(stored), rows(stored));
}

/// Vectors of scratch are made after the plan; those of a stored S² are there before it.
MemoryNeed EigenPurpose::memory(bool stored) const {
  const SolverConfig& solver = context_.config.solver;
  const int block = columns(stored);
  const int scratch = callers_scratch(solver, block) + (stored ? 0 : spin_scratch(solver, block));
  MemoryNeed need =
      eigen_memory(context_.config, options_for(stored), rows(stored), facts_.components);
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(rows(stored)) * scratch;
  need.for_all_vectors([=](SolverVectors& v) { v.others += bytes; });
  need.vectors_of_one_state += bytes;
  return need_of_a_rank(need, rows(stored), context_.backend.communicator());
}

void EigenPurpose::before_storing() {
  stored_ = true;
  if (!multiplicity_) return;
  multiplicity_->one_parity = false;
  if (!context_.backend.communicator().alone()) {
    throw InputError(
        "solver.multiplicity: not over several ranks, but of full CI by products "
        "without a matrix (operator: direct)");
  }
  stored_spin_ = stored_s_squared(model_.determinants()->space());
  projector_ = std::make_unique<SpinProjector>(make_operator("csr", stored_spin_, context_.backend),
                                               context_.backend, *multiplicity_, columns(true));
}

void EigenPurpose::ask(HeldMatrix& matrix) {
  options_ = options_for(stored_);
  timed(facts_.seconds.read, [&] { checkpoints_.attach(matrix, options_, facts_.checkpoint); });
  p_space = p_space_stage(matrix, std::exchange(stored_spin_, nullptr), context_.config.solver,
                          context_.backend.kind(), facts_);
  const auto basis = matrix.basis();
  if (multiplicity_) {
    facts_.rows = basis->rows();
    p_space.sectors.dimensions = timed(facts_.seconds.build, [&] {
      return basis->states_of_multiplicity(p_space.sectors, multiplicity_->multiplicity);
    });
  }
  slepc_.take_rows(matrix);
  const Communicator& ranks = context_.backend.communicator();
  if (!ranks.alone()) {
    const RowPartition& parts = basis->parts();
    p_space.sectors =
        labels_of_rows(p_space.sectors, parts.first(ranks.rank()), parts.count(ranks.rank()));
  }
}

EigenOptions EigenPurpose::options(const Prepared& prepared) {
  keep_to(prepared.plan, options_);
  if (multiplicity_ && !projector_) {
    projector_ = std::make_unique<SpinProjector>(prepared.held->s_squared(), context_.backend,
                                                 *multiplicity_, columns(stored_));
  }
  const Projector& callers = context_.config.solver.project;
  options_.scale = scale_of(facts_.units, *prepared.a, context_.backend);
  options_.project = projector_of(projector_.get(), callers, context_.backend, *prepared.basis);
  // Blocks of the matrix need not be the caller's projector's, nor need irreps and parities.
  if (callers) p_space.sectors = {};
  return options_;
}

}  // namespace cisolve
