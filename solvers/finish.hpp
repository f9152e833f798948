#pragma once

#include "solvers/counted_operator.hpp"
#include "solvers/eigen_problem.hpp"

namespace cisolve {

/// Completes a result whose `vectors` (n × states, orthonormal Ritz vectors) and `energies` are
/// set: recomputes every residual ‖Ax − θx‖ with one more product each, marks the states that meet
/// the tolerance, and takes `converged` back from the status where one does not. `image` is scratch
/// of the same shape.
void finish(EigenResult& result, CountedOperator& a, Backend& backend, double tolerance,
            View image);

}  // namespace cisolve
