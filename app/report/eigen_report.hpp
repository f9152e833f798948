#pragma once

#include <ostream>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// The report of eigenstates; docs/configuration.md has its fields.
Json eigen_json(const RunConfig& config, const EigenOutcome& outcome);
/// Text of that outcome, for people.
void print_eigen(std::ostream& out, const RunConfig& config, const EigenOutcome& outcome);

}  // namespace cisolve
