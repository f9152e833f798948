#pragma once

#include <vector>

#include "hamiltonian/space/listed_space.hpp"

namespace cisolve {

/// The rows of a list by spatial configuration: by the orbitals that are doubly occupied, then by
/// all that are occupied, then as the list has them. Determinants of one configuration interact
/// with those of the same others, so that neighbouring rows have neighbouring columns: of a list of
/// 100,000 determinants 32 entries that a warp reads at once lie in 11 to 22 lines of X, and in 20
/// to 28 in the order of strings. Parallel; bytes while it is made: 80 a determinant.
std::vector<Index> rows_by_configuration(const ListedSpace& space);

}  // namespace cisolve
