#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/input/source.hpp"
#include "app/memory/memory_plan.hpp"

namespace cisolve {

/// For an error, where the space of the source has no room: a table of what would fit, packed or
/// without a matrix, a line each that opens with the flag to give. Of the irreps, which are much of
/// a size, it has the largest. Empty where nothing fits.
std::string smaller_spaces(const HamiltonianSource& source, const RunConfig& config,
                           const MemoryAvailable& available);

}  // namespace cisolve
