#pragma once

#include <span>

#include "core/dense/host_matrix_forward.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// ⟨I|Ĥ|J⟩ in Hartree by the Slater–Condon rules, core energy on the diagonal.
double matrix_element(const Integrals& integrals, const Determinant& i, const Determinant& j);

/// Elements between some determinants of a space, by their numbers: symmetric to the bit. O(n²),
/// parallel.
HostMatrix principal_submatrix(const Integrals& integrals, const CiSpace& space,
                               std::span<const Index> rows);

}  // namespace cisolve
