#pragma once

#include <string>

namespace cisolve {

/// Unit of a Hamiltonian's elements, and so of energies, residuals and tolerances; nothing is
/// converted. `automatic`: Hartree for integrals, MeV for nucleons, no unit for a matrix of any
/// origin.
enum class Units { automatic, hartree, electronvolt, wavenumber, megaelectronvolt, none };

/// "Hartree", "eV", "cm^-1", "MeV"; empty of a number alone.
std::string unit_symbol(Units units);
/// The unit's name as it follows a number: " Hartree".
std::string after_number(Units units);

/// Unit in which tolerances and the search for lower states are 1 by default: MeV of nucleons,
/// Hartree of all else that has a unit.
Units unit_of_scale(Units units);

// x in those units; where they are given.
double in_hartree(double x, Units units);
double from_hartree(double x, Units units);
double in_electronvolts(double x, Units units);
double in_wavenumbers(double x, Units units);

/// Debye in an e Bohr, CODATA 2018.
inline constexpr double debyes_per_e_bohr = 2.541746473;

}  // namespace cisolve
