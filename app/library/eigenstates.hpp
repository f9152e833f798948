#pragma once

#include <string>

#include "app/library/session.hpp"
#include "app/solve/outcome/outcome.hpp"
#include "cisolve/eigen.hpp"

namespace cisolve {

/// The states of an outcome as callers have them, without a report.
Eigenstates eigenstates_of(const EigenOutcome& outcome, const Session& session);

}  // namespace cisolve
