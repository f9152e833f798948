#pragma once

#include "app/config/config.hpp"

namespace cisolve {

/// The program's exit status.
enum ExitStatus : int { done = 0, bad_input = 1, not_converged = 2, no_resource = 3 };

ExitStatus exit_status(SolveStatus status);

/// Computes what the configuration says and reports it: the stages of app/solve, with progress
/// shown and files written. Before anything is read it makes sure that no file is lost
/// (CommandFiles). Returns `done` or `not_converged`; throws InputError and
/// ResourceError.
ExitStatus run(const RunConfig& config);

}  // namespace cisolve
