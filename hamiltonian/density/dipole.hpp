#pragma once

#include <array>
#include <vector>

#include "hamiltonian/density/densities.hpp"

namespace cisolve {

/// A vector in space, x y z.
using SpaceVector = std::array<double, 3>;

/// Integrals for dipole moments, in atomic units (e, Bohr): the electron's position over the m
/// orbitals of a molecule, and the moment of its nuclei, Σ_A Z_A R_A.
struct DipoleIntegrals {
  std::array<HostMatrix, 3> position;  ///< ⟨p|x|q⟩, ⟨p|y|q⟩, ⟨p|z|q⟩, m × m, symmetric
  SpaceVector nuclear = {};
};

/// The part of the densities' orbitals in them: `active` ones by their numbers from 0, and a
/// constant from nuclei and doubly occupied `frozen` orbitals,
///   μ_core = Σ_A Z_A R_A − 2 Σ_f ⟨f|r|f⟩.
DipoleIntegrals active_dipole(const DipoleIntegrals& all, const std::vector<int>& frozen,
                              const std::vector<int>& active);

/// −Σ_σ Σ_pq ⟨p|r|q⟩ γ^σ_pq, of a state or between two; a state has `nuclear` of `active_dipole`
/// beside it.
SpaceVector electronic_dipole(const DipoleIntegrals& active, const OneDensities& densities);

/// 2/3 ΔE |μ|² of a transition: its oscillator strength, in length gauge; ΔE in Hartree.
double oscillator_strength(double energy, const SpaceVector& dipole);

}  // namespace cisolve
