#pragma once

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/states/pair_excitations.hpp"

namespace cisolve {

/// Densities of a vector, bra and ket, or of a transition, over pairs of strings in ranges,
/// pair of determinants by pair: about as much work as the nonzeros of the Hamiltonian. Vectors
/// have an element for each determinant, in the space's order, in host memory. Images outside the
/// space are none of the vectors' determinants, so that these are its exact densities. Bytes: O(m⁴
/// + strings · electrons²). Parallel (OpenMP), the same bits on every run, with any number of
/// threads.
Densities space_densities(const CiSpace& space, const SpinPairExcitations& excitations,
                          const HostVector& bra, const HostVector& ket);

/// γ^σ_pq = ⟨bra| a†_qσ a_pσ |ket⟩ alone, over one space; bra and ket may be the same.
OneDensities space_one_densities(const CiSpace& space, const SpinPairExcitations& excitations,
                                 const HostVector& bra, const HostVector& ket);

}  // namespace cisolve
