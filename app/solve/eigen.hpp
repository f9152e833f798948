#pragma once

#include <string>

#include "app/prepare/context.hpp"
#include "app/solve/outcome.hpp"

namespace cisolve {

/// Throws InputError where a matrix of so many rows has fewer states; `key` asked for them.
void require_states(int states, Index rows, const std::string& key);

/// The lowest eigenpairs that the configuration asks for, of what `open` opens, and what they are.
/// Stages: checks, source, projector onto a multiplicity, matrix, p-space, operator, solve,
/// analysis. Throws InputError and ResourceError; how the solve ended is in the result. The
/// backend's kind is the configured one; checkpoints are written and read as configured.
/// `start`: vectors to begin from, over determinants or the rows of a matrix; empty: none.
EigenOutcome solve_eigenproblem(const RunContext& context, const OpenModel& open,
                                const Observers& observers, HostMatrix start = {});

}  // namespace cisolve
