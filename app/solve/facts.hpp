#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/prepare/context.hpp"
#include "app/prepare/preparation.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "app/ways/held_matrix.hpp"

namespace cisolve {

/// Traffic of a rank after `before`.
Communicator::Traffic since(const Communicator::Traffic& before, Communicator::Traffic now);

/// Facts of a run that are known before it begins.
RunFacts facts_of(const RunContext& context);
/// The operator as it is at the end of a solve, and what was said of it since.
void note_end(Prepared& prepared, RunFacts& facts);
/// Throws InputError where something is asked for that is of real elements alone, and these are of
/// several components, or vectors over so many rows have too many numbers.
void require_for_elements(const RunContext& context, Index rows, int components);
/// The last note: of a plan of memory that is not as configured.
void note_memory(RunFacts& facts);

/// The p-space, as large as pays for a solve on that backend. S² may be null, and goes.
PSpace p_space_stage(HeldMatrix& matrix, std::shared_ptr<const CsrMatrix> s_squared,
                     const SolverConfig& solver, BackendKind solves_on, RunFacts& facts);

}  // namespace cisolve
