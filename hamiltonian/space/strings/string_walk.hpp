#pragma once

#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// Calls visit(string) for all strings of so many electrons, ascending.
template <class String, class Visit>
void for_each_string(int orbitals, int electrons, Visit visit) {
  if (electrons < 0 || electrons > orbitals) return;
  const String highest = String::lowest(orbitals) & ~String::lowest(orbitals - electrons);
  for (String s = String::lowest(electrons);; s = s.next()) {
    visit(s);
    if (s == highest) return;
  }
}

/// The sign of a†_r a†_s |κ⟩, r > s, but for one of all.
template <int Words>
int addition_sign(const BasicOrbitalString<Words>& k, int r, int s) {
  return (k.below(r) ^ k.below(s)).odd() ? -1 : 1;
}

}  // namespace cisolve
