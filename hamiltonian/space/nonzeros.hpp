#pragma once

#include <vector>

#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Between these are the nonzeros of a matrix over determinants.
struct NonzeroBounds {
  double fewest = 0.0, most = 0.0;
};

/// Bounds for each irrep, as count_determinants counts them, whatever irrep the options ask for.
///
/// Pairs of determinants are counted by what leads from one to the other, without making them. A
/// double excitation is an integral, or a difference of two, that is zero or not, whichever
/// electrons stay: those are counted exactly. A single one is a sum over the electrons that stay.
/// Single excitations are counted exactly, too, if only h_pq is not zero. Otherwise they may
/// vanish, and only `most` has them. Both count every diagonal element. O(n⁴) for n orbitals.
/// Throws as count_determinants.
std::vector<NonzeroBounds> bound_nonzeros(const Integrals& integrals,
                                          const CiSpaceOptions& options);

}  // namespace cisolve
