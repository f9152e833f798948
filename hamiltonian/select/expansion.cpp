#include "hamiltonian/select/expansion.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve {

double largest_integral(const Integrals& integrals) {
  double largest = 0.0;
  for (const TwoElectron* g :
       {integrals.alpha_alpha.get(), integrals.alpha_beta.get(), integrals.beta_beta.get()}) {
    for (int pair = 0; pair < g->pairs(); ++pair) {
      const double* const row = g->row(pair);
      for (int k = 0; k < g->pairs(); ++k) largest = std::max(largest, std::abs(row[k]));
    }
  }
  for (const auto& h : integrals.one_electron) {
    for (int p = 0; p < integrals.orbitals; ++p) {
      for (int q = 0; q < p; ++q) largest = std::max(largest, std::abs((*h)(p, q)));
    }
  }
  return largest;
}

double device_bytes_of(const Expansion& expansion) {
  const ListedSpace& space = expansion.space;
  const double m = expansion.integrals.orbitals, pairs = 0.5 * m * (m + 1.0);
  const double a_string = m <= OrbitalString64::most_orbitals ? 8.0 : 16.0;
  return 3.0 * 8.0 * pairs * pairs +
         (a_string + 4.0) * (static_cast<double>(space.alpha.size()) + space.beta.size()) +
         8.0 * static_cast<double>(space.size());
}

}  // namespace cisolve
