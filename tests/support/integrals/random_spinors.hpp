#pragma once

#include <random>

#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Integrals of no molecule: random, with the permutational symmetry of spinors. Spinor p has the
/// momentum p mod `momenta`, and integrals that do not conserve it are 0.
inline SpinorIntegrals random_spinors(int spinors, int electrons, unsigned seed, int momenta = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&] {
    const double re = uniform(engine);
    return Complex(re, uniform(engine));
  };
  SpinorIntegrals result(spinors);
  result.electrons = electrons;
  result.core_energy = uniform(engine);
  for (int p = 0; p < spinors; ++p) {
    for (int q = 0; q <= p; ++q) {
      if ((p - q) % momenta == 0) result.h.set(p, q, random());
      for (int r = 0; r < spinors; ++r) {
        for (int s = 0; s < spinors; ++s) {
          if ((p - q + r - s) % momenta == 0) result.g.set(p, q, r, s, random());
        }
      }
    }
  }
  return result;
}

/// Random integrals over Kramers pairs, spinors 2p and 2p + 1: each pair of (pq|rs) is turned round
/// in time by itself, and h.
inline SpinorIntegrals random_kramers_spinors(int spinors, int electrons, unsigned seed) {
  const SpinorIntegrals in = random_spinors(spinors, electrons, seed);
  SpinorIntegrals result = in;
  const auto sign = [](int p, int q) { return (p + q) % 2 != 0 ? -1.0 : 1.0; };
  for (int p = 0; p < spinors; ++p) {
    for (int q = 0; q < spinors; ++q) {
      result.h.set(p, q, 0.5 * (in.h(p, q) + sign(p, q) * in.h(q ^ 1, p ^ 1)));
      for (int r = 0; r < spinors; ++r) {
        for (int s = 0; s < spinors; ++s) {
          const Complex neither = in.g(p, q, r, s), first = sign(p, q) * in.g(q ^ 1, p ^ 1, r, s),
                        second = sign(r, s) * in.g(p, q, s ^ 1, r ^ 1),
                        both = sign(p, q) * sign(r, s) * in.g(q ^ 1, p ^ 1, s ^ 1, r ^ 1);
          result.g.set(p, q, r, s, 0.25 * ((neither + both) + (first + second)));
        }
      }
    }
  }
  return result;
}

}  // namespace cisolve
