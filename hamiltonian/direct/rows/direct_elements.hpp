#pragma once

#include <span>
#include <vector>

#include "core/array.hpp"
#include "core/dense/host_matrix_forward.hpp"
#include "hamiltonian/direct/rows/direct_rows.hpp"

namespace cisolve {

/// ⟨F|Ĥ|F⟩ in Hartree of every row's function F, on the host: of (|ab⟩ ± |ba⟩)/√2 the energy of
/// |ab⟩ ± ⟨ab|Ĥ|ba⟩, which is the exchange integral (pq|pq) where a and b differ in p and q alone,
/// else 0. A few operations each, parallel.
Array<double> direct_diagonal(const Integrals& integrals, const DirectLayout& layout,
                              const DirectRows& rows);

/// The energy of each string's electrons among themselves, in Hartree.
std::vector<double> string_energies(const Integrals& integrals, Spin spin,
                                    const DirectStrings& strings);

/// ⟨F|Ĥ|G⟩ over the functions of some rows, by the Slater–Condon rules: symmetric to the bit.
/// O(n²), parallel.
HostMatrix principal_submatrix(const Integrals& integrals, const DirectLayout& layout,
                               const DirectRows& rows, std::span<const Index> of);

}  // namespace cisolve
