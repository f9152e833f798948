#pragma once

#include <algorithm>

#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

/// The Slater–Condon rules for one string, real integrals in chemists' notation. Every value is
/// the same bit for bit for I → J and J → I: sums run over the orbitals common to both strings in
/// ascending order, and integrals are read by their canonical index.
namespace cisolve {

/// The one- and two-electron integrals of one spin.
struct SpinIntegrals {
  const OneElectron& h;
  const TwoElectron& g;

  /// (pq|rs), read at the larger pair first.
  double coulomb(int p, int q, int r, int s) const {
    const int pq = g.pair(p, q), rs = g.pair(r, s);
    return g.row(std::max(pq, rs))[std::min(pq, rs)];
  }
};

/// ⟨J| a†_p a_q |I⟩ for J = I with q replaced by p ≠ q: (−1)^(electrons strictly between them).
template <int Words>
int excitation_sign(const BasicOrbitalString<Words>& s, int p, int q) {
  const auto [low, high] = std::minmax(p, q);
  return s.between(low, high).odd() ? -1 : 1;
}

/// Σ_i h_ii + Σ_{i<j} [(ii|jj) − (ij|ji)]: the energy of a string's electrons among themselves.
template <int Words>
double string_energy(const SpinIntegrals& integrals, const BasicOrbitalString<Words>& s) {
  double energy = 0;
  for (const int j : s) {
    energy += integrals.h(j, j);
    for (const int i : s.below(j)) {
      energy += integrals.coulomb(i, i, j, j) - integrals.coulomb(i, j, j, i);
    }
  }
  return energy;
}

/// h_pq + Σ_{i in common} [(pq|ii) − (pi|iq)]: the part of a single excitation q → p, its sign
/// aside, that the string's own spin gives. `common` is the string without p and q.
inline double single_value(const SpinIntegrals& integrals, const OrbitalString& common, int p,
                           int q) {
  double value = integrals.h(std::max(p, q), std::min(p, q));
  for (const int i : common) {
    value += integrals.coulomb(p, q, i, i) - integrals.coulomb(p, i, i, q);
  }
  return value;
}

/// (pr|qs) − (ps|qr): a double excitation r → p, s → q, its sign aside. The sign is that of
/// r → p after s → q.
inline double double_value(const SpinIntegrals& integrals, int p, int q, int r, int s) {
  return integrals.coulomb(p, r, q, s) - integrals.coulomb(p, s, q, r);
}

}  // namespace cisolve
