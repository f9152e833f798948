#pragma once

#include <functional>

#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {

/// True if the spectrum is worth its products before the first iteration: a Krylov method needs
/// none of it, and Jacobi's says by itself whether it converges.
bool looks_first(const LinearOptions& options);

/// Looks at the spectrum where that pays, and makes the forecast. False where a number met was not
/// finite.
bool look_ahead(LinearSystem& system, ConstView b, const LinearOptions& options,
                LinearResult& result);

/// Says so where the forecast does not expect the method to converge.
void note_forecast(const LinearOptions& options, LinearResult& result);

/// Says what the spectrum, looked at once a method has failed, lets one expect.
void look_behind(LinearSystem& system, ConstView b, const LinearOptions& options,
                 const std::function<bool()>& go_on, LinearResult& result);

}  // namespace cisolve
