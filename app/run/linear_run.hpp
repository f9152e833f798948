#pragma once

#include "app/run/run.hpp"

namespace cisolve {

/// Solves the linear system that the configuration names, reports on it and writes x.
ExitStatus run_linear(const RunConfig& config);

}  // namespace cisolve
