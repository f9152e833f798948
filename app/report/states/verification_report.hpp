#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve {

/// Verification that the states are the lowest: for the JSON report, as a word behind the status,
/// and as a line of text.
Json verification_json(const RunConfig& config, const EigenOutcome& outcome);
/// "converged, verified".
std::string status_text(const EigenResult& result);
std::string exclusion_text(const RunConfig& config, const EigenOutcome& outcome);

}  // namespace cisolve
