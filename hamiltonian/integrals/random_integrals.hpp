#pragma once

#include <cstdint>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// A molecule that does not exist: random integrals, for matrices of any size with the pattern of a
/// real CI Hamiltonian.
struct RandomMolecule {
  int orbitals = 8;  ///< 1 … 128
  int electrons = 8;
  int irreps = 1;  ///< 1, 2, 4 or 8: orbital p is of irrep p mod irreps
  std::uint64_t seed = 1;
};

/// Its integrals, in Hartree: orbitals rise by 0.5 each; h_pq, p ≠ q, is uniform in (−0.05, 0.05),
/// and so is (pq|rs), to which Coulomb integrals (pp|qq) add 0.4. h_pq is zero unless p and q are
/// of one irrep, (pq|rs) unless the product of all four is totally symmetric. M_s is 0, or 1/2 for
/// an odd number of electrons.
Integrals random_integrals(const RandomMolecule& molecule);

}  // namespace cisolve
