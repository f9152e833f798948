#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/input/determinants/determinants.hpp"
#include "backends/backend.hpp"

namespace cisolve {

/// Why products are not made directly as the run is configured, but for its key `operator`; empty
/// where they can be.
std::string why_not_direct(const Determinants& determinants, const RunConfig& config,
                           const Backend& backend);
/// Why products with these determinants cannot be made directly; empty where they can.
std::string direct_unavailable_reason(const Determinants& determinants, BackendKind backend);

}  // namespace cisolve
