#pragma once

#include <string>

namespace cisolve {

/// What the elements of a Hamiltonian are measured in, and so energies, residuals and tolerances:
/// nothing is converted. `automatic`: Hartree for integrals, no unit for a matrix of any origin.
enum class Units { automatic, hartree, electronvolt, wavenumber, none };

/// "Hartree", "eV", "cm^-1"; empty of a number alone.
std::string unit_symbol(Units units);
/// The same behind a number: " Hartree".
std::string after_number(Units units);

// x in those units; where they are given.
double in_hartree(double x, Units units);
double from_hartree(double x, Units units);
double in_electronvolts(double x, Units units);
double in_wavenumbers(double x, Units units);

/// Debye in an e Bohr, CODATA 2018.
inline constexpr double debyes_per_e_bohr = 2.541746473;

}  // namespace cisolve
