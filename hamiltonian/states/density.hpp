#pragma once

#include <vector>

#include "core/host_matrix.hpp"
#include "hamiltonian/states/pair_excitations.hpp"

namespace cisolve {

/// The one-particle density of a state over restricted orbitals, both spins together:
///   γ_pq = Σ_σ ⟨x| a†_pσ a_qσ |x⟩, orbitals × orbitals, its trace the number of electrons.
/// x is normalised, has an element for each determinant and lies in host memory. Parallel (OpenMP),
/// the same bits on every run.
HostMatrix one_particle_density(const CiSpace& space, const SpinPairExcitations& excitations,
                                const HostVector& x);

/// Eigenvalues of that density, descending: from 2 to 0 (Löwdin, Phys. Rev. 1955, 97, 1474).
std::vector<double> natural_occupations(const HostMatrix& density);

}  // namespace cisolve
