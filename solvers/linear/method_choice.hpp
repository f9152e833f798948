#pragma once

#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {

/// The method where it is left open, by what the diagonal and, where it was looked at, the spectrum
/// tell.
LinearMethod choose_method(LinearSystem& system, const LinearOptions& options,
                           const LinearResult& result);

/// True if S is not definite and the method needs it to be; a note says so.
bool needs_another(const LinearSystem& system, const LinearOptions& options, LinearResult& result);

/// True if a method ended where another, or more iterations, may not.
bool failed(SolveStatus status);

/// True if a method that was chosen has failed where minres may not: S was taken for definite and
/// is not, or is singular.
bool needs_minres(LinearSystem& system, ConstView b, ConstView x, const LinearOptions& options,
                  const LinearResult& result);

}  // namespace cisolve
