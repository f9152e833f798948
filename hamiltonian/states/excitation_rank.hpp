#pragma once

#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Electrons, alpha and beta together, outside the orbitals of the reference determinant.
int excitation_rank(const Determinant& determinant, const Determinant& reference);

/// Σ c² over the determinants of rank 0, 1, 2 … up to the highest in the space; of a normalised x
/// they sum to 1. x lies in host memory. Parallel, the same bits for any number of threads.
template <DeterminantSpace Space>
std::vector<double> rank_weights(const Space& space, const HostVector& x);

}  // namespace cisolve
