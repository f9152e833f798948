#pragma once

#include <string>

#include "app/library/session.hpp"
#include "app/solve/outcome.hpp"
#include "cisolve/eigen.hpp"

namespace cisolve {

/// What came of a solve as callers have it; `report`: the program's, JSON.
Eigenstates eigenstates_of(const EigenOutcome& outcome, const Session& session, std::string report);

}  // namespace cisolve
