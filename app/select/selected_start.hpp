#pragma once

#include <functional>

#include "app/prepare/context.hpp"
#include "app/solve/outcome.hpp"

namespace cisolve {

/// The same as solve_eigenproblem, begun as solver.start says: where that asks for it, or it pays,
/// full CI without a matrix from its lowest states over the most important determinants. `goes_on`:
/// asked often meanwhile; once it says no, the solve begins without. Throws InputError where a
/// selection is asked for that cannot be.
EigenOutcome solve_from_selection(const RunContext& context, const OpenModel& open,
                                  const Observers& observers, const std::function<bool()>& goes_on);

}  // namespace cisolve
