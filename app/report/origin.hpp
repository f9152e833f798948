#pragma once

#include "app/config/json.hpp"

namespace cisolve {

/// Adds the origin of a report: `date` (now, UTC, ISO 8601), `host`, `command` (the process's
/// command line, as a POSIX shell reads it), `version` and `instruction_set`. Null if the system
/// does not tell.
void add_origin(Json& report);

}  // namespace cisolve
