#pragma once

#include "hamiltonian/nuclear/shell_interaction.hpp"
#include "hamiltonian/space/listed/determinant_list.hpp"

namespace cisolve {

/// Which determinants of nucleons (m-scheme): all with these numbers. Every J ≥ |M| has a state
/// of each of its levels there.
struct ShellSector {
  int protons = 0, neutrons = 0;  ///< in the shell
  int twice_m = 0;
  int parity = 1;  ///< 1, −1
};

/// Number of determinants, without making strings: exact below 2^53.
double count_shell_determinants(const ShellInteraction& interaction, const ShellSector& sector);
/// The determinants. Bytes: 32 each, and 16 a string. Throws ResourceError where the host has no
/// room for them.
DeterminantList shell_determinants(const ShellInteraction& interaction, const ShellSector& sector);

}  // namespace cisolve
