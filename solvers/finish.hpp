#pragma once

#include "core/dense.hpp"
#include "solvers/counted_operator.hpp"
#include "solvers/eigen_problem.hpp"

namespace cisolve {

/// Completes a result from the last Ritz pairs (θ, coefficients S in the first columns of V):
/// X = VS into result.vectors (n × states, given), every residual ‖Ax − θx‖ recomputed with one
/// more product each, the states that meet the tolerance marked, and `converged` taken back from
/// the status where one does not. Where there are fewer pairs than states, after an early
/// breakdown, everything is NaN. `image` is scratch, n × states.
void finish(EigenResult& result, ConstView basis, const SymmetricEigen& ritz, CountedOperator& a,
            Backend& backend, double tolerance, View image);

}  // namespace cisolve
