#pragma once

#include <vector>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// The orbitals that stay, in the file's order: those in `active`, or all when that is empty, but
/// the frozen ones. All are 0-based. Throws InputError on a repeated or missing orbital.
std::vector<int> active_orbitals(int orbitals, const std::vector<int>& frozen,
                                 const std::vector<int>& active);

/// Integrals over the active orbitals alone: `frozen` ones (0-based) are occupied, doubly or,
/// general spin orbitals, by one electron; their energy goes into the core energy and their field
/// into h; of the others those in `active` stay (all when empty), in the file's order. Throws
/// InputError on a repeated or missing orbital or too few electrons.
Integrals restrict_orbitals(const Integrals& integrals, const std::vector<int>& frozen,
                            const std::vector<int>& active);

}  // namespace cisolve
