#pragma once

#include "core/host_device.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// Bit p: whether an odd number of electrons is below p.
template <int Words>
CISOLVE_HOST_DEVICE BasicOrbitalString<Words> parity_below(const BasicOrbitalString<Words>& s) {
  BasicOrbitalString<Words> odd;
  for (const int p : s) odd = odd ^ ~BasicOrbitalString<Words>::lowest(p + 1);
  return odd;
}

/// Sign of q → s, q occupied and s empty, by the parities of the string.
template <int Words>
CISOLVE_HOST_DEVICE bool is_negative(const BasicOrbitalString<Words>& odd, int q, int s) {
  return (odd.has(q) != odd.has(s)) != (s > q);
}

/// Sign of q → s and then t → r.
template <int Words>
CISOLVE_HOST_DEVICE bool is_negative(const BasicOrbitalString<Words>& odd, int q, int s, int t,
                                     int r) {
  // Behind q → s, q is no longer there, and s is.
  const bool second = is_negative(odd, t, r) ^ ((q < t) != (q < r)) ^ ((s < t) != (s < r));
  return is_negative(odd, q, s) != second;
}

/// Hash of a string, whose highest bits are a place in a table of beta strings.
template <int Words>
CISOLVE_HOST_DEVICE std::uint64_t hash_of_beta(const BasicOrbitalString<Words>& s) {
  std::uint64_t h = s.word(0);
  for (int w = 1; w < Words; ++w) h ^= s.word(w) * 0xbf58476d1ce4e5b9;
  return (h ^ h >> 29) * 0x9e3779b97f4a7c15;
}

/// First-order coefficient of a determinant above or below a state, energies in Hartree;
/// denominators are no smaller than 1e-14 of them.
CISOLVE_HOST_DEVICE inline double first_order_coefficient(double sum, double of_state,
                                                          double of_determinant) {
  const double below = of_state - of_determinant;
  const double least = 1e-14 * (of_determinant < 0.0 ? -of_determinant : of_determinant);
  return sum / ((below < 0.0 ? -below : below) < least ? -least : below);
}

}  // namespace cisolve
