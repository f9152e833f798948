#pragma once

#include <array>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Labels of the orbitals by which the Hamiltonian falls into blocks: labels multiply as
/// irreps do (irrep_product), and that of every integral that is not exactly zero is 0.
struct OrbitalLabels {
  std::array<std::vector<int>, 2> of;  ///< by spin, of each orbital
  int further_bits = 0;  ///< the lowest ones, beside the irrep that the file has in the others
};

/// The irreps of the file and, up to 3 bits in all, what the zeros among the integrals tell beside
/// them: solutions λ of λ_p + λ_q + λ_r + λ_s = 0 modulo 2 for every (pq|rs) ≠ 0 and λ_p + λ_q = 0
/// for every h_pq ≠ 0, but for those that label the numbers of electrons. O(pairs² · orbitals).
/// Throws InputError of more than 64 orbitals.
OrbitalLabels orbital_labels(const Integrals& integrals);

}  // namespace cisolve
