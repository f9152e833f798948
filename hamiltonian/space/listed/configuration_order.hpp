#pragma once

#include <vector>

#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve {

/// The rows of a list by spatial configuration: by the orbitals that are doubly occupied, then by
/// all that are occupied, then as the list has them. Determinants of one configuration interact
/// with those of the same others, so that neighbouring rows have neighbouring columns:
/// bench/list_order counts the lines of X that a warp reads at once, 16 for 26 of N2, 27 as before
/// of C2. Parallel; bytes while it is made: 80 a determinant.
std::vector<Index> rows_by_configuration(const ListedSpace& space);

}  // namespace cisolve
