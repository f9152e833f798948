#pragma once

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/space/listed/list_pairs.hpp"

namespace cisolve {

/// Densities of vectors over a list of determinants, as Densities has them, bra and ket: every pair
/// that differs by one or two electrons (ListPairs) and every determinant adds what its element of
/// the Hamiltonian would have integrals of. Vectors have an element for each determinant, in the
/// space's order, in host memory; images outside of the list are none of theirs. Parallel (OpenMP)
/// over parts of the pairs, which have sums of their own and depend on the orbitals alone: the same
/// bits on every run. Bytes: parts times those of the result, 1 GB at most where there are several.
Densities list_densities(const ListPairs& pairs, const HostVector& bra, const HostVector& ket);

/// γ alone.
OneDensities list_one_densities(const ListPairs& pairs, const HostVector& bra,
                                const HostVector& ket);

}  // namespace cisolve
