#pragma once

#include <cstdint>
#include <vector>

#include "core/host_device.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// C(p, k), p = 0 … n − 1, k = 0 … width − 1, modulo 2^32, at p · width + k.
std::vector<std::uint32_t> binomials_below(int n, int width);

/// Numbers of all strings of as many electrons, ascending: that of electrons in p_0 < p_1 < … is
/// Σ_e C(p_e, e + 1). Binomials are held modulo 2^32, as are sums of them: a number below that
/// comes out whatever is added and subtracted on the way to it.
struct StringNumbers {
  const std::uint32_t* binomials;  ///< C(p, k) at p · width + k
  int width;

  CISOLVE_HOST_DEVICE std::uint32_t choose(int p, int k) const { return binomials[p * width + k]; }

  /// The string of so many electrons, in orbitals below `orbitals`, with that number.
  CISOLVE_HOST_DEVICE OrbitalString string(std::uint32_t number, int electrons,
                                           int orbitals) const {
    OrbitalString s;
    for (int p = orbitals - 1; electrons > 0; --p) {
      const std::uint32_t below = choose(p, electrons);
      if (below > number) continue;
      s = s.with(p);
      number -= below;
      --electrons;
    }
    return s;
  }

  /// Calls visit(p, low, high, odd) for the orbitals p below `orbitals` that a string K leaves
  /// empty, ascending: for p < q the number of K + p + q is low of p + high of q, and its electrons
  /// in p and q have numbers whose sum is odd where `odd` of both is the same.
  template <class Visit>
  CISOLVE_HOST_DEVICE void for_each_empty(const OrbitalString& k, int orbitals,
                                          const Visit& visit) const {
    std::uint32_t above = 0;  // electrons from p on, two places up
    int e = 0;
    for (const int p : k) above += choose(p, ++e + 2);
    std::uint32_t below = 0, between = 0;  // electrons below p, in their places and one up
    e = 0;
    for (int p = 0; p < orbitals; ++p) {
      if (k.has(p)) {
        above -= choose(p, e + 3);
        below += choose(p, e + 1);
        between += choose(p, e + 2);
        ++e;
      } else {
        visit(p, below + choose(p, e + 1) - between, between + choose(p, e + 2) + above,
              e % 2 != 0);
      }
    }
  }

  /// Calls visit(p, number, odd) for the orbitals p below `orbitals` that a string K leaves empty,
  /// ascending: the number of K + p, and whether that of its electron in p is odd.
  template <class Visit>
  CISOLVE_HOST_DEVICE void for_each_addition(const OrbitalString& k, int orbitals,
                                             const Visit& visit) const {
    std::uint32_t above = 0;  // electrons from p on, one place up
    int e = 0;
    for (const int p : k) above += choose(p, ++e + 1);
    std::uint32_t below = 0;
    e = 0;
    for (int p = 0; p < orbitals; ++p) {
      if (!k.has(p)) {
        visit(p, below + choose(p, e + 1) + above, e % 2 != 0);
        continue;
      }
      above -= choose(p, e + 2);
      below += choose(p, e + 1);
      ++e;
    }
  }

  /// Calls visit(e, p, low, high) for the electrons e = 0, 1, … of a string I, in p: I without its
  /// electrons d < e has the number low of d + high of e.
  template <class Visit>
  CISOLVE_HOST_DEVICE void for_each_electron(const OrbitalString& i, const Visit& visit) const {
    std::uint32_t above = 0;  // electrons above, two places down
    int e = 0;
    for (const int p : i) {
      if (e > 0) above += choose(p, e - 1);
      ++e;
    }
    std::uint32_t below = 0, between = 0;  // electrons below, in their places and one down
    e = 0;
    for (const int p : i) {
      if (e > 0) above -= choose(p, e - 1);
      const std::uint32_t down = between + choose(p, e);
      visit(e, p, below - down, between + above);
      below += choose(p, e + 1);
      between = down;
      ++e;
    }
  }
};

}  // namespace cisolve
