#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/solve/outcome.hpp"
#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve {

/// What is known of the states being the lowest ones: for the JSON report, as a word behind the
/// status, and as a line of text of its own.
Json verification_json(const RunConfig& config, const EigenOutcome& outcome);
/// "converged, verified".
std::string status_text(const EigenResult& result);
std::string exclusion_text(const RunConfig& config, const EigenOutcome& outcome);

}  // namespace cisolve
