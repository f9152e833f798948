#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/solve/context.hpp"
#include "app/solve/operator_stage.hpp"
#include "app/solve/outcome.hpp"
#include "core/timer.hpp"

namespace cisolve {

/// What `work` returns; the seconds that it took are added.
template <class Work>
auto timed(double& seconds, const Work& work) {
  struct Adder {
    double& seconds;
    Timer timer = {};
    ~Adder() { seconds += timer.seconds(); }
  };
  const Adder adder{seconds};
  return work();
}

/// What a rank has taken part in after `before`.
Communicator::Traffic since(const Communicator::Traffic& before, Communicator::Traffic now);

/// What is known of a run before it begins.
RunFacts facts_of(const RunContext& context);
void add_notes(RunFacts& facts, const std::vector<std::string>& notes);
/// One that is logged, too.
void add_note(RunFacts& facts, const Log& log, const std::string& note);
/// The operator, its plan of memory and what was said of it.
void note_operator(const MadeOperator& made, RunFacts& facts);
/// The last note: of a plan of memory that is not as configured.
void note_memory(RunFacts& facts);

/// The source, held as the stage needs it. Throws InputError unless the matrix is square, and as
/// OperatorStage::check_rows does.
std::unique_ptr<HamiltonianSource> open_square(const OpenSource& open, const OperatorStage& stage);

/// The p-space, as large as pays for a solve on that backend. S² may be null, and goes.
PSpace p_space_stage(MatrixSource& matrix, std::shared_ptr<const CsrMatrix> s_squared,
                     const SolverConfig& solver, BackendKind solves_on, RunFacts& facts);

}  // namespace cisolve
