#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/input/determinants/determinants.hpp"
#include "app/memory/memory_plan.hpp"

namespace cisolve {

/// For an error, where their space has no room, or more determinants than there can be
/// rows: a table of what would fit, packed or without a matrix, a line each that opens with the
/// flags to give. Of the irreps, which are much of a size, it has the largest; of even and odd
/// functions the even ones. Empty where nothing fits.
std::string smaller_spaces(const Determinants& determinants, const RunConfig& config,
                           const MemoryAvailable& available);

}  // namespace cisolve
