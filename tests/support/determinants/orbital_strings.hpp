#pragma once

#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// 0b0011_string: orbitals 0 and 1.
constexpr OrbitalString operator""_string(unsigned long long bits) {
  return OrbitalString(bits);
}

}  // namespace cisolve
