#pragma once

#include "app/prepare/context.hpp"
#include "app/solve/linear/system_vectors.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// The linear system of the vectors given, which are asked for once the configuration has been
/// found to make sense, with what `open` opens as its matrix. Throws as solve_eigenproblem does.
LinearOutcome solve_linear_system(const RunContext& context, const OpenModel& open,
                                  const std::function<GivenVectors()>& given_by,
                                  const Observers& observers);

}  // namespace cisolve
