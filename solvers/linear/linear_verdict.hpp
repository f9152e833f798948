#pragma once

#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {

/// Description of S, as far as its diagonal, Lanczos steps or the iterations tell: "symmetric,
/// positive
/// definite as far as 20 Lanczos steps tell". `bends_down`: cg met a direction of negative
/// curvature.
std::string describe(const LinearSystem& system, const LinearOptions& options,
                     const LinearResult& result, bool bends_down);

/// Looks at a solution whose residuals are in the result, and takes a product where there is reason
/// to: a residual within its goal that rounding may have made is computed a second time, from 3x
/// and 3b, and is not converged where the two differ by more than the goal; where the solve ended
/// without success, the residual may be rounding's, and one that S takes to nothing shows S
/// singular. Says so in the notes. B
/// and X are the system's.
void judge(LinearSystem& system, ConstView b, ConstView x, const ColumnScalars& goals,
           const LinearOptions& options, LinearResult& result);

/// True if a residual is more than rounding can have left.
bool above_rounding(LinearSystem& system, ConstView b, ConstView x, const LinearResult& result);

}  // namespace cisolve
