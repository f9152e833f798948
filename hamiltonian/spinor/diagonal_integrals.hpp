#pragma once

#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Real integrals over general spin orbitals whose determinants have the same energies: h_pp,
/// (pp|qq) and, as (pq|pq), the real (pq|qp); all others are 0. Spaces and reference determinants
/// are made of these (make_ci_space, make_listed_space, reference_determinant): a determinant's
/// alpha string has all electrons, its beta string none, and row i of the space is alpha string i.
/// Bytes: 2 n² (n + 1)².
Integrals diagonal_integrals(const SpinorIntegrals& spinors);

}  // namespace cisolve
