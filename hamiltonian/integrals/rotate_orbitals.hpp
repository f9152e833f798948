#pragma once

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Integrals over the orbitals φ'_j = Σ_p C_pj φ_p, C (orbitals × orbitals) orthogonal and mixing
/// no irreps:
///
///     h'_ij = Σ_pq C_pi h_pq C_qj,   (ij|kl)' = Σ_pqrs C_pi C_qj (pq|rs) C_rk C_sl,
///
/// two indices at a time. Orbital energies are left out. Host memory, twice that of the
/// two-electron integrals. Parallel; the same bits with any number of threads. Throws InputError
/// where orbitals are not restricted.
Integrals rotated(const Integrals& integrals, const HostMatrix& c);

}  // namespace cisolve
