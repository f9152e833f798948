#pragma once

#include <optional>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"
#include "hamiltonian/states/pair_excitations.hpp"

namespace cisolve {

/// y := S² x inside the space, for restricted orbitals (both spins have the same ones):
///   S² = S_z (S_z + 1) + S₋S₊,
///   S₋S₊ = Σ_p n_pβ (1 − n_pα) − Σ_{p≠q} (a†_qα a_pα)(a†_pβ a_qβ).
/// x has an element for each determinant, in the space's order, in host memory. Images outside a
/// truncated space are left out, which changes no matrix element between vectors of the space: xᵀy
/// is the exact expectation value all the same. Parallel (OpenMP), the same bits on every run.
HostVector apply_s_squared(const CiSpace& space, const SpinPairExcitations& excitations,
                           const HostVector& x);
/// Over a list, determinant by determinant: those that it leads to are looked up.
HostVector apply_s_squared(const ListedSpace& space, const HostVector& x);

/// 2S + 1 where S(S + 1) is within 1e-3 of the expectation value for an S that goes with `ms2` =
/// 2 M_s: integer or half-integer as M_s is, at least |M_s|. Else none: a mixture of spins.
std::optional<int> multiplicity(double s_squared, int ms2);

}  // namespace cisolve
