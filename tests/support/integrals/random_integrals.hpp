#pragma once

#include <memory>
#include <ostream>
#include <random>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Integrals of no molecule: random, with the permutational symmetry of real orbitals and, where
/// `irreps` are given, zero unless the orbitals' product is totally symmetric.
inline Integrals random_integrals(int orbitals, int electrons, int ms2, bool unrestricted,
                                  unsigned seed, const std::vector<int>& irreps = {}) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto irrep = [&](int p) { return irreps.empty() ? 0 : irreps[p]; };

  const auto one_electron = [&] {
    auto h = std::make_shared<OneElectron>(orbitals);
    for (int p = 0; p < orbitals; ++p) {
      for (int q = 0; q <= p; ++q) {
        if (irrep(p) == irrep(q)) h->set(p, q, uniform(engine));
      }
    }
    return h;
  };
  const auto two_electron = [&](bool same_spin) {
    auto g = std::make_shared<TwoElectron>(orbitals);
    for (int p = 0; p < orbitals; ++p) {
      for (int q = 0; q <= p; ++q) {
        for (int r = 0; r < orbitals; ++r) {
          for (int s = 0; s <= r; ++s) {
            const int pq = pair_index(p, q), rs = pair_index(r, s);
            if ((same_spin && rs > pq) || (irrep(p) ^ irrep(q) ^ irrep(r) ^ irrep(s)) != 0)
              continue;
            g->row(pq)[rs] = uniform(engine);
            if (same_spin) g->row(rs)[pq] = g->row(pq)[rs];
          }
        }
      }
    }
    return g;
  };

  Integrals result;
  result.orbitals = orbitals;
  result.electrons = electrons;
  result.ms2 = ms2;
  result.core_energy = uniform(engine);
  result.unrestricted = unrestricted;
  result.orbital_irreps = {irreps, irreps};
  result.one_electron[alpha] = one_electron();
  result.one_electron[beta] = unrestricted ? one_electron() : result.one_electron[alpha];
  result.alpha_alpha = two_electron(true);
  result.beta_beta = unrestricted ? two_electron(true) : result.alpha_alpha;
  result.alpha_beta = unrestricted ? two_electron(false) : result.alpha_alpha;
  return result;
}

/// Random integrals of these.
struct RandomCase {
  int orbitals, electrons, ms2;
  bool unrestricted;
  int irreps;  ///< orbitals' irreps are 0 … irreps − 1 in turn
};

inline void PrintTo(const RandomCase& c, std::ostream* out) {
  *out << c.electrons << " electrons in " << c.orbitals << " orbitals, 2 M_s = " << c.ms2
       << (c.unrestricted ? ", unrestricted, " : ", ") << c.irreps << " irreps";
}

inline Integrals integrals_of(const RandomCase& c) {
  std::vector<int> irreps;
  for (int p = 0; c.irreps > 1 && p < c.orbitals; ++p) irreps.push_back((3 * p) % c.irreps);
  return random_integrals(c.orbitals, c.electrons, c.ms2, c.unrestricted, 11, irreps);
}

}  // namespace cisolve
