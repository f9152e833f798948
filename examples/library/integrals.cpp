// integrals: a Hubbard ring from arrays of integrals, its one-particle density matrix and energy.
#include <cisolve/cisolve.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

int main() {
  constexpr int sites = 6;
  constexpr double t = 1.0, u = 4.0;
  std::vector<double> h1(sites * sites, 0.0), eri(sites * sites * sites * sites, 0.0);
  for (int p = 0; p < sites; ++p) {
    const int q = (p + 1) % sites;
    h1[p * sites + q] = h1[q * sites + p] = -t;
    eri[((p * sites + p) * sites + p) * sites + p] = u;
  }
  cisolve::IntegralArrays arrays;
  arrays.orbitals = arrays.electrons = sites;
  arrays.h1 = h1;
  arrays.eri = eri;
  try {
    const auto hubbard = cisolve::Hamiltonian::from_integrals(arrays);
    const auto found = cisolve::lowest_eigenstates(hubbard);
    const auto densities = cisolve::density_matrices(hubbard, {found.vectors}, true);
    // E = sum h_pq D_pq + 1/2 sum (pq|rs) Gamma_pqrs, both over spins.
    double energy = 0.0;
    const int pairs = sites * sites, quartets = pairs * pairs;
    for (int pq = 0; pq < pairs; ++pq) {
      energy += h1[pq] * (densities.one[pq] + densities.one[pairs + pq]);
    }
    for (int i = 0; i < quartets; ++i) {
      energy +=
          0.5 * eri[i] *
          (densities.two[i] + 2.0 * densities.two[quartets + i] + densities.two[2 * quartets + i]);
    }
    std::printf("E = %.10f, by the density matrices %.10f\n", found.states[0].energy, energy);
    std::printf("electrons at site 1: %.6f\n", densities.one[0] + densities.one[pairs]);
    return std::abs(energy - found.states[0].energy) < 1e-8 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "integrals: %s\n", error.what());
    return 1;
  }
}
