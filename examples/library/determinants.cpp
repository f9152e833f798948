// determinants: a Hubbard ring over lists of determinants, those with at most so many sites that
// two electrons share; with all of them it is full CI.
#include <bit>
#include <cisolve/cisolve.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

constexpr int sites = 8;

cisolve::DeterminantArrays with_pairs(int most) {
  cisolve::DeterminantArrays list;
  const std::uint64_t end = std::uint64_t{1} << sites;
  for (std::uint64_t a = 0; a < end; ++a) {
    for (std::uint64_t b = 0; b < end; ++b) {
      if (std::popcount(a) != sites / 2 || std::popcount(b) != sites / 2) continue;
      if (std::popcount(a & b) > most) continue;
      list.alpha.push_back(a);
      list.beta.push_back(b);
    }
  }
  return list;
}

int main() {
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
    double energy = 0.0;
    for (int most = 0; most <= sites / 2; ++most) {
      cisolve::DeterminantSettings settings;
      settings.listed = std::make_shared<const cisolve::DeterminantArrays>(with_pairs(most));
      const auto ring = cisolve::Hamiltonian::from_integrals(arrays, settings);
      energy = cisolve::lowest_eigenstates(ring).states[0].energy;
      std::printf("%d pairs at most: %5lld determinants, E = %.10f\n", most,
                  static_cast<long long>(ring.rows()), energy);
    }
    const auto all = cisolve::lowest_eigenstates(cisolve::Hamiltonian::from_integrals(arrays));
    return std::abs(energy - all.states[0].energy) < 1e-8 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "determinants: %s\n", error.what());
    return 1;
  }
}
