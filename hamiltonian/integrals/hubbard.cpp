#include "hamiltonian/integrals/hubbard.hpp"

namespace cisolve {

Integrals hubbard_integrals(const HubbardRing& ring) {
  const auto h = std::make_shared<OneElectron>(ring.sites);
  const auto g = std::make_shared<TwoElectron>(ring.sites);
  for (int i = 0; i < ring.sites; ++i) {
    const int next = (i + 1) % ring.sites;
    if (next != i) h->set(i, next, -ring.t);
    const int pair = pair_index(i, i);
    g->row(pair)[pair] = ring.u;
  }
  Integrals made;
  made.orbitals = ring.sites;
  made.electrons = ring.electrons > 0 ? ring.electrons : ring.sites;
  made.ms2 = made.electrons % 2;
  made.one_electron = {h, h};
  made.alpha_alpha = made.alpha_beta = made.beta_beta = g;
  return made;
}

}  // namespace cisolve
