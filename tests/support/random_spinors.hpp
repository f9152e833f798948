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

}  // namespace cisolve
