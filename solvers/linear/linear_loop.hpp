#pragma once

#include "core/timer.hpp"
#include "solvers/linear/steps/linear_step.hpp"

namespace cisolve {

/// Lets the method iterate until the shared criteria (solve_linear) end it. Fills what of the
/// result tells of the iterations, after those that it tells of already. `goals`: the residual
/// norms that are small enough. `x_is_zero`: the start is, so that its residual is b.
void iterate(LinearSystem& system, LinearStep& step, ConstView b, View x, bool x_is_zero,
             const ColumnScalars& goals, const LinearOptions& options, const Timer& timer,
             const LinearObserver& observer, LinearResult& result);

}  // namespace cisolve
