// Number of a matrix's nonzeros, without its determinants.

#include "hamiltonian/space/nonzeros.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hamiltonian/integrals/hubbard.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/space/spaces.hpp"
#include "tests/support/integrals/data_integrals.hpp"
#include "tests/support/integrals/random_integrals.hpp"

namespace cisolve {
namespace {

/// Bounds for all irreps together, and for each if the orbitals have irreps.
void expect_between(const Integrals& integrals, CiSpaceOptions options, double most_over_actual,
                    double actual_over_fewest, const std::string& name) {
  const std::vector<NonzeroBounds> bounds = bound_nonzeros(integrals, options);
  const std::vector<long double> determinants = count_determinants(integrals, options);
  ASSERT_EQ(bounds.size(), determinants.size());
  NonzeroBounds all;
  double actual_of_all = 0.0;
  for (std::size_t g = 0; g < bounds.size(); ++g) {
    all.fewest += bounds[g].fewest;
    all.most += bounds[g].most;
    if (determinants[g] == 0.0L) {
      EXPECT_EQ(bounds[g].most, 0.0) << name;
      continue;
    }
    if (bounds.size() > 1) options.irrep = static_cast<int>(g);
    const CiSpace space = make_ci_space(integrals, options);
    const auto actual = static_cast<double>(CiMatrixBuilder(integrals, space).count().back());
    EXPECT_LE(bounds[g].fewest, actual) << name << ", irrep " << g;
    EXPECT_GE(bounds[g].most, actual) << name << ", irrep " << g;
    actual_of_all += actual;
  }
  EXPECT_LE(all.most, most_over_actual * actual_of_all) << name;
  EXPECT_GE(actual_over_fewest * all.fewest, actual_of_all) << name;
}

CiSpaceOptions ras(unsigned ras1, int holes, unsigned ras3, int particles) {
  CiSpaceOptions options;
  options.ras = {OrbitalString(ras1), OrbitalString(ras3), holes, particles};
  return options;
}

TEST(Nonzeros, OfHubbardRingsAreCountedExactly) {
  for (const int sites : {2, 5, 6, 8}) {
    const Integrals ring = hubbard_integrals({.sites = sites});
    expect_between(ring, {}, 1.0, 1.0, std::to_string(sites) + " sites");
    expect_between(ring, {Space::cisd.rank, {}}, 1.0, 1.0, std::to_string(sites) + " sites, cisd");
  }
}

TEST(Nonzeros, OfMoleculesLieBetweenTheBounds) {
  for (const char* file : {"h2_sto3g", "n2_sto3g", "be_ccpvdz", "nh3_sto3g", "o2_sto3g_uhf"}) {
    const Integrals integrals = load(file);
    expect_between(integrals, {}, 1.05, 1.3, file);
    expect_between(integrals, {Space::cisd.rank, {}}, 1.05, 1.3, std::string(file) + " cisd");
  }
  const Integrals ch2 = load("ch2_631g");
  expect_between(ch2, {Space::cisd.rank, {}}, 1.05, 1.3, "ch2 cisd");
  expect_between(ch2, {3, {}}, 1.05, 1.3, "ch2 cisdt");
  expect_between(ch2, ras(0b11, 1, 0b1111'1110'0000, 2), 1.05, 1.3, "ch2 ras");
}

TEST(Nonzeros, OfRandomIntegralsLieBetweenTheBounds) {
  for (const bool unrestricted : {false, true}) {
    for (const auto& irreps : {std::vector<int>{}, std::vector<int>{0, 1, 2, 3, 0, 1}}) {
      for (const int ms2 : {0, 2}) {
        const Integrals integrals = random_integrals(6, 6, ms2, unrestricted, 7, irreps);
        for (const int rank : {0, 1, 2, 3, 4}) {
          expect_between(integrals, {rank, {}}, 1.0, 4.0, "rank " + std::to_string(rank));
        }
        expect_between(integrals, {}, 1.0, 1.4, "full");
        expect_between(integrals, ras(0b11, 1, 0b110000, 1), 1.0, 1.6, "ras");
        expect_between(integrals, ras(0b11, 2, 0, 0), 1.0, 1.6, "ras1 alone");
        expect_between(integrals, ras(0, 0, 0b1000, 1), 1.0, 1.6, "ras3 alone");
      }
    }
  }
}

/// Integrals that a model leaves out are zeros.
TEST(Nonzeros, OfSparseIntegralsLieBetweenTheBounds) {
  Integrals integrals = random_integrals(6, 6, 0, false, 3);
  auto sparse = std::make_shared<TwoElectron>(6);
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r < 6; ++r) {
        for (int s = 0; s <= r; ++s) {
          if ((p + q + r + s) % 3 != 0) continue;
          sparse->row(pair_index(p, q))[pair_index(r, s)] = (*integrals.alpha_beta)(p, q, r, s);
        }
      }
    }
  }
  integrals.alpha_alpha = integrals.alpha_beta = integrals.beta_beta = sparse;
  expect_between(integrals, {}, 1.0, 1.6, "full");
  expect_between(integrals, {2, {}}, 1.0, 1.8, "cisd");
}

}  // namespace
}  // namespace cisolve
