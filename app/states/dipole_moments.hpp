#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "app/states/state_densities.hpp"
#include "hamiltonian/density/dipole.hpp"

namespace cisolve {

/// ⟨i|μ|j⟩ of all pairs of states, in e·Bohr, at i·states + j.
using DipoleMoments = std::vector<SpaceVector>;

/// Integrals from numbers in memory: `position` is 3 × m × m over all m orbitals of the file,
/// frozen ones included. `name`: their origin, for messages. Throws InputError if there are not as
/// many, if they are not finite or not symmetric, or if the orbitals are not restricted.
DipoleIntegrals dipole_integrals(std::span<const double> position, const SpaceVector& nuclear,
                                 const Determinants& determinants, const std::string& name);

/// From an .npz file: `dipole` (3, m, m), positions without the electron's charge, and where it is
/// there `nuclear_dipole` (3,), else 0. Throws InputError where the file is of another shape or
/// damaged, and as `dipole_integrals`.
DipoleIntegrals read_dipole(const std::filesystem::path& file, const Determinants& determinants);

/// Densities are over the active orbitals.
DipoleMoments dipole_moments(const DipoleIntegrals& integrals, const Determinants& determinants,
                             const StateDensities& densities, std::size_t states);

}  // namespace cisolve
