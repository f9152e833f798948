#pragma once

#include <bit>

#include "hamiltonian/space/slater_condon.hpp"
#include "hamiltonian/space/string_space.hpp"

namespace cisolve {

/// Calls visit(string) for all strings of so many electrons, ascending.
template <class Visit>
void for_each_string(int orbitals, int electrons, Visit visit) {
  if (electrons < 0 || electrons > orbitals) return;
  if (electrons == 0) {
    visit(OrbitalString{0});
    return;
  }
  const OrbitalString lowest = ~OrbitalString{0} >> (64 - electrons);
  const OrbitalString highest = lowest << (orbitals - electrons);
  for (OrbitalString s = lowest;;) {
    visit(s);
    if (s == highest) return;
    // The next with as many bits: the lowest run moves up by one, its rest down.
    const OrbitalString low = s & -s, carried = s + low;
    s = carried | ((s ^ carried) >> (std::countr_zero(s) + 2));
  }
}

/// The sign of a†_r a†_s |κ⟩, r > s, but for one of all.
inline int addition_sign(OrbitalString k, int r, int s) {
  const int below =
      std::popcount(k & (orbital_bit(r) - 1)) + std::popcount(k & (orbital_bit(s) - 1));
  return below % 2 == 0 ? 1 : -1;
}

}  // namespace cisolve
