#pragma once

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/solver_state.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// True if a solve can go on from the bases of `from`, or takes its vectors for start vectors:
/// another method's basis, images that are not exact, other sectors (a matrix that is not stored
/// tells more of them apart), or for Lanczos one of other states.
bool can_resume(const Workspace& work, const SolverState& from);

/// The bases, wanted pairs and searches become those of `from`. More states than it had leave room
/// for their start vectors. Throws InputError when its vectors are not orthonormal or their images
/// not finite.
void resume(Workspace& work, Roots& roots, const SolverState& from);

/// The bases and searches as a state, whose `read` refers to `work`. Its counts are the caller's.
SolverState state_of(Workspace& work, const Roots& roots);

}  // namespace cisolve
