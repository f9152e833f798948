#pragma once

#include "app/config/config.hpp"

namespace cisolve {

/// Throws InputError where keys of a selection contradict each other, or ask for what it has not.
void require_consistent_selection(const RunConfig& config);

}  // namespace cisolve
