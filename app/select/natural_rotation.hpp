#pragma once

#include <string>

#include "app/input/determinants/determinants.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/space/any_space.hpp"

namespace cisolve {

/// Natural orbitals of states over a list, as columns over the orbitals of the Hamiltonian's file:
/// eigenvectors of γ = Σ_j γ_j / k, the mean of the states' one-particle densities of both spins,
/// within each irrep. The first orbital of an irrep becomes the one of the largest occupation, and
/// so on; frozen and left-out orbitals stay. For restricted orbitals. `coefficients`: determinants
/// × states, normalised. Throws ResourceError without memory.
HostMatrix natural_rotation(const Determinants& determinants, const AnySpace& space,
                            const HostMatrix& coefficients);

/// Throws InputError, naming the file, where orbitals as above would not leave frozen and left-out
/// orbitals, or would mix irreps.
void require_natural_rotation(const Determinants& determinants, const HostMatrix& rotation,
                              const std::string& file);

}  // namespace cisolve
