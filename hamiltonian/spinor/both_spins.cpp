#include "hamiltonian/spinor/both_spins.hpp"

#include <utility>

namespace cisolve {

SpinorIntegrals with_both_spins(SpinorIntegrals orbitals) {
  const int n = orbitals.spinors;
  SpinorIntegrals result(2 * n);
  result.spinors_of_orbital = 2;
  result.electrons = orbitals.electrons;
  result.core_energy = orbitals.core_energy;
  for (int pq = 0; pq < n * n; ++pq) {
    const int p = pq / n, q = pq % n;
    for (const int spin : {0, 1}) {
      if (q <= p) result.h.set(2 * p + spin, 2 * q + spin, orbitals.h(p, q));
      for (int rs = 0; rs <= pq; ++rs) {
        const int r = rs / n, s = rs % n;
        for (const int other : {0, 1}) {
          result.g.set(2 * p + spin, 2 * q + spin, 2 * r + other, 2 * s + other,
                       orbitals.g(p, q, r, s));
        }
      }
    }
  }
  result.other_keys = std::move(orbitals.other_keys);
  result.warnings = std::move(orbitals.warnings);
  return result;
}

}  // namespace cisolve
