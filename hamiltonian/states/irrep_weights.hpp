#pragma once

#include <array>
#include <optional>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Sums of squared coefficients by the irrep of the determinants, 0-based in ORBSYM order: the
/// product of their orbitals'; zeros where the orbitals have no irreps. x has an element for each
/// determinant of the space over these integrals' orbitals, in host memory. Parallel, the same bits
/// for any number of threads.
template <DeterminantSpace Space>
std::array<double, 8> irrep_weights(const Space& space, const Integrals& integrals,
                                    const HostVector& x);

/// The irrep of a determinant over these integrals' orbitals; none where they have none.
std::optional<int> irrep_of(const Determinant& determinant, const Integrals& integrals);

/// The irrep that has all of a normalised state of such weights but 1e-6; none: it mixes irreps, or
/// the orbitals have none.
std::optional<int> irrep_of(const std::array<double, 8>& weights, const Integrals& integrals);

}  // namespace cisolve
