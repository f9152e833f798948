#include "hamiltonian/integrals/random_integrals.hpp"

#include "core/random.hpp"

namespace cisolve {

Integrals random_integrals(const RandomMolecule& molecule) {
  const int n = molecule.orbitals;
  const auto irrep = [&](int p) { return p % molecule.irreps; };
  const auto h = std::make_shared<OneElectron>(n);
  const auto g = std::make_shared<TwoElectron>(n);
  Random random(molecule.seed, 0);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const double drawn = 0.1 * (random.uniform() - 0.5);
      if (irrep(p) == irrep(q)) h->set(p, q, drawn + (p == q ? 0.5 * p : 0.0));
    }
  }
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const int pq = pair_index(p, q);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r && pair_index(r, s) <= pq; ++s) {
          const int rs = pair_index(r, s);
          const double drawn = 0.1 * (random.uniform() - 0.5);
          if (irrep_product(irrep(p), irrep(q), irrep(r), irrep(s)) != 0) continue;
          g->row(pq)[rs] = g->row(rs)[pq] = drawn + (p == q && r == s ? 0.4 : 0.0);
        }
      }
    }
  }

  Integrals made;
  made.orbitals = n;
  made.electrons = molecule.electrons;
  made.ms2 = made.electrons % 2;
  if (molecule.irreps > 1) {
    for (int p = 0; p < n; ++p) made.orbital_irreps[alpha].push_back(irrep(p));
    made.orbital_irreps[beta] = made.orbital_irreps[alpha];
  }
  made.one_electron = {h, h};
  made.alpha_alpha = made.alpha_beta = made.beta_beta = g;
  return made;
}

}  // namespace cisolve
