#include "app/config/units.hpp"

namespace cisolve {
namespace {

// CODATA 2018 (Tiesinga, Mohr, Newell, Taylor, Rev. Mod. Phys. 2021, 93, 025010): the Hartree
// energy in eV, and the hartree-inverse meter relationship.
constexpr double electronvolts_per_hartree = 27.211386245988;
constexpr double wavenumbers_per_hartree = 219474.63136320;  // cm^-1

}  // namespace

std::string unit_symbol(Units units) {
  if (units == Units::hartree) return "Hartree";
  if (units == Units::electronvolt) return "eV";
  if (units == Units::megaelectronvolt) return "MeV";
  return units == Units::wavenumber ? "cm^-1" : "";
}

Units unit_of_scale(Units units) {
  return units == Units::megaelectronvolt ? units : Units::hartree;
}

std::string after_number(Units units) {
  const std::string symbol = unit_symbol(units);
  return symbol.empty() ? "" : " " + symbol;
}

double in_hartree(double x, Units units) {
  if (units == Units::electronvolt) return x / electronvolts_per_hartree;
  if (units == Units::megaelectronvolt) return x * 1e6 / electronvolts_per_hartree;
  return units == Units::wavenumber ? x / wavenumbers_per_hartree : x;
}

double from_hartree(double x, Units units) {
  return x / in_hartree(1.0, units);
}

double in_electronvolts(double x, Units units) {
  return units == Units::electronvolt ? x : in_hartree(x, units) * electronvolts_per_hartree;
}

double in_wavenumbers(double x, Units units) {
  return units == Units::wavenumber ? x : in_hartree(x, units) * wavenumbers_per_hartree;
}

}  // namespace cisolve
