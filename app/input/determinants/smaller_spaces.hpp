#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/input/determinants/determinants.hpp"
#include "app/memory/memory_plan.hpp"

namespace cisolve {

/// Table of smaller spaces that would fit, packed or without a matrix, for an error: the space has
/// no room, or more determinants than there can be rows. Each line opens with the flags to give.
/// The irreps, which differ little in size, have one line, for the largest; even and odd functions
/// one for the even ones. Empty if nothing fits.
std::string smaller_spaces(const Determinants& determinants, const RunConfig& config,
                           const MemoryAvailable& available);

}  // namespace cisolve
