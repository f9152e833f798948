#include "hamiltonian/density/densities.hpp"

#include <cmath>

namespace cisolve {
namespace {

double one_electron_energy(const OneElectron& h, const HostMatrix& density) {
  double sum = 0;
  for (int p = 0; p < h.orbitals(); ++p) {
    for (int q = 0; q < h.orbitals(); ++q) sum += h(p, q) * density(p, q);
  }
  return sum;
}

/// Σ (pq|rs) Γ_pq,rs.
double two_electron_energy(const TwoElectron& g, int orbitals, const HostMatrix& density) {
  double sum = 0;
  for (int p = 0; p < orbitals; ++p) {
    for (int q = 0; q < orbitals; ++q) {
      const double* const integrals = g.row(pair_index(p, q));
      for (int r = 0; r < orbitals; ++r) {
        for (int s = 0; s < orbitals; ++s) {
          sum += integrals[pair_index(r, s)] * density(p * orbitals + q, r * orbitals + s);
        }
      }
    }
  }
  return sum;
}

}  // namespace

HostMatrix spin_summed(const OneDensities& densities) {
  return densities[alpha] + densities[beta];
}

HostMatrix spin_summed_two(const Densities& densities) {
  return densities.alpha_alpha + densities.alpha_beta + densities.alpha_beta.transpose() +
         densities.beta_beta;
}

HostMatrix reversed_two(const HostMatrix& two) {
  const auto m = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(two.rows()))));
  const auto reversed = [m](Eigen::Index pair) { return pair % m * m + pair / m; };
  HostMatrix made(two.rows(), two.cols());
  for (Eigen::Index i = 0; i < two.rows(); ++i) {
    for (Eigen::Index j = 0; j < two.cols(); ++j) made(i, j) = two(reversed(i), reversed(j));
  }
  return made;
}

double energy(const Integrals& integrals, const Densities& densities) {
  const int m = integrals.orbitals;
  return integrals.core_energy +
         one_electron_energy(*integrals.one_electron[alpha], densities.one[alpha]) +
         one_electron_energy(*integrals.one_electron[beta], densities.one[beta]) +
         0.5 * two_electron_energy(*integrals.alpha_alpha, m, densities.alpha_alpha) +
         two_electron_energy(*integrals.alpha_beta, m, densities.alpha_beta) +
         0.5 * two_electron_energy(*integrals.beta_beta, m, densities.beta_beta);
}

}  // namespace cisolve
