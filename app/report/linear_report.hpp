#pragma once

#include <ostream>

#include "app/config/config.hpp"
#include "app/config/json.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// The report of a linear system; docs/configuration.md has its fields.
Json linear_json(const RunConfig& config, const LinearOutcome& outcome);
/// Text of that outcome, for people.
void print_linear(std::ostream& out, const LinearOutcome& outcome);

}  // namespace cisolve
