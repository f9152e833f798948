#pragma once

#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// T_s := P T_s in every sector, P the projector of the options. Where most of a sector's column is
/// lost, a second application removes the rounding from what is left; where nothing is left, the
/// column becomes zero.
void project(Workspace& work, View t);

}  // namespace cisolve
