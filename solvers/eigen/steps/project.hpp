#pragma once

#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// T_s := P T_s in every sector, P the projector of the options. If most of a sector's column is
/// lost, a second application removes the rounding from the rest; if nothing is left, the column
/// becomes zero.
void project(Workspace& work, View t);

/// The first added[s] columns of T_s, orthonormal and orthogonal to V_s, become those of P T_s, the
/// rest zero; `added` is what is left. With V in the subspace P takes nothing of V into them, so
/// that their distance from the subspace is rounding, however close to V they were before, and V
/// stays in it. If columns depend on each other once they are projected, their rounding is enlarged
/// with them, and they are projected again.
void keep_to_subspace(Workspace& work, View t, std::vector<int>& added);

}  // namespace cisolve
