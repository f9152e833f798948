#pragma once

#include "app/solve/context.hpp"
#include "app/solve/outcome.hpp"

namespace cisolve {

/// The linear system that the configuration names, with what `open` opens as its matrix. Throws as
/// solve_eigenproblem does.
LinearOutcome solve_linear_system(const RunContext& context, const OpenSource& open,
                                  const Observers& observers);

}  // namespace cisolve
