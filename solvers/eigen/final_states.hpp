#pragma once

#include <functional>

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// The states into the result: vectors, energies, energy changes, sectors, residual norms by one
/// more product, and which meet the criterion, for which a state has to lie in the subspace that
/// states are sought in, where there is one. This product needs the matrix in double: if it is
/// still rounded, the bases are freed and `to_double_precision` is called before. Energies are then
/// Rayleigh quotients; no state counts as converged if the matrix stays rounded. Fewer pairs than
/// states, after an early breakdown: NaN.
void final_states(Workspace& work, Roots& roots, const std::function<void()>& to_double_precision,
                  EigenResult& result);

}  // namespace cisolve
