#pragma once

#include "app/config/json.hpp"

namespace cisolve {

/// Adds where a report comes from: `date` (now, UTC, ISO 8601), `host`, `command` (the process's
/// command line, as a POSIX shell reads it), `version` and `instruction_set`. Of what the system
/// does not tell, null.
void add_origin(Json& report);

}  // namespace cisolve
