#pragma once

#include <vector>

#include "core/types.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// Strings that follow each other, all of which have the orbitals `common` occupied.
struct RemainderGroup {
  Index first = 0, count = 0;
  OrbitalString common;
};

/// All strings of so many electrons in so many orbitals, ascending, in groups of at most `most`: as
/// few groups as there are where a group's strings have their highest electrons in common.
std::vector<RemainderGroup> remainder_groups(int orbitals, int electrons, Index most);

}  // namespace cisolve
