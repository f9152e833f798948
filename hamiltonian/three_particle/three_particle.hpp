#pragma once

#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// A real full CI vector x as a matrix, alpha strings × beta strings, each AllStrings of m
/// orbitals; host memory.
struct StringMatrix {
  int orbitals = 0;  ///< m ≤ 64
  std::array<int, 2> electrons{};
  HostMatrix elements;
};

/// Γ_ijk,lmn = Σ_στυ ⟨x| a†_iσ a†_jτ a†_kυ a_nυ a_mτ a_lσ |x⟩, the spin-summed three-particle
/// density, m³ × m³, element ((i m + j) m + k, (l m + m') m + n); host memory.
///
/// From Gram matrices of what three electrons fewer leave of x, ⟨O_u x|O_t x⟩, where a string of
/// two electrons fewer takes the operators that lead to it alone: flops for each string of N − 2
/// and of N' − 1 electrons, f = m − N + 2: (m f (f − 1)/2)². Bytes on the backend: about three
/// vectors, and O(m³ · strings). Throws ResourceError without memory, InputError where strings of a
/// spin, with up to three electrons fewer too, are more than an Index counts.
HostMatrix three_particle_density(const StringMatrix& x, Backend& backend);

/// The four-particle density with three indices of an integral summed over,
///   F_ijk,lmc = Σ_στυ ⟨x| a†_iσ a†_jτ a†_kυ a_lσ a_mτ V_cυ |x⟩,
///   V_cυ = Σ_edf (ce|df) a_eυ Σ_τ a†_dτ a_fτ,
/// of real orbitals, (ce|df) = (ce|fd), at row c m + e and column d m + f of `integrals`; m³ × m³
/// in the order of three_particle_density. No vector of a pair of excitations is made: V_c x has
/// one electron fewer than x. Second-order perturbation theory takes it (Angeli, Cimiraglia and
/// Malrieu, J. Chem. Phys. 2002, 117, 9138; Guo, Watson, Hu, Sun and Chan, J. Chem. Theory Comput.
/// 2016, 12, 1583). Throws as above.
HostMatrix contracted_four_particle_density(const StringMatrix& x, const HostMatrix& integrals,
                                            Backend& backend);

}  // namespace cisolve
