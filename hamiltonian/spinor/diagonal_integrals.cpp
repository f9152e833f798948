#include "hamiltonian/spinor/diagonal_integrals.hpp"

#include <memory>
#include <string>

#include "core/memory.hpp"

namespace cisolve {

Integrals diagonal_integrals(const SpinorIntegrals& spinors) {
  const int n = spinors.spinors;
  const double pairs = n * (n + 1.0) / 2.0;
  require_host_memory(pairs * pairs * sizeof(double),
                      "energies of determinants over " + std::to_string(n) + " spinors");
  const auto h = std::make_shared<OneElectron>(n);
  const auto g = std::make_shared<TwoElectron>(n);
  for (int p = 0; p < n; ++p) {
    h->set(p, p, spinors.h(p, p).real());
    for (int q = 0; q < n; ++q) {
      g->row(pair_index(p, p))[pair_index(q, q)] = spinors.g(p, p, q, q).real();
      if (q != p) g->row(pair_index(p, q))[pair_index(p, q)] = spinors.g(p, q, q, p).real();
    }
  }
  Integrals result;
  result.orbitals = n;
  result.electrons = result.ms2 = spinors.electrons;
  result.core_energy = spinors.core_energy;
  result.general = result.unrestricted = true;
  result.one_electron = {h, h};
  result.alpha_alpha = result.alpha_beta = result.beta_beta = g;
  result.other_keys = spinors.other_keys;
  result.warnings = spinors.warnings;
  return result;
}

}  // namespace cisolve
