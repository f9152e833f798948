#pragma once

#include "app/config/config.hpp"

namespace cisolve {

/// The program's exit status.
enum ExitStatus : int { done = 0, bad_input = 1, not_converged = 2, no_resource = 3 };

ExitStatus exit_status(SolveStatus status);

/// The backend that the configuration names or, for `auto`, CUDA where it can be used.
BackendKind chosen_backend(const BackendConfig& config);

/// Computes what the configuration says and reports it: input -> host matrix -> operator on its
/// backend -> solver -> report. Before anything is read it makes sure that no file is lost
/// (CommandFiles). Returns `done` or `not_converged`; throws InputError and
/// ResourceError.
ExitStatus run(const RunConfig& config);

}  // namespace cisolve
