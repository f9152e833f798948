// Files of a quantum chemistry program: counts, and the Fock identity, which holds only when
// indices, symmetry, spins and units are all right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

const std::filesystem::path data = test_data();

struct FileFacts {
  std::string name;
  int orbitals, electrons, ms2;
  double core_energy;
  double first_integral;  // (11|11)
  std::vector<int> irreps;
};

void PrintTo(const FileFacts& facts, std::ostream* out) {
  *out << facts.name;
}

class RealFile : public ::testing::TestWithParam<FileFacts> {};

TEST_P(RealFile, GivesItsCountsEnergiesAndIrreps) {
  const FileFacts& facts = GetParam();
  const Integrals integrals = read_fcidump(data / facts.name);
  EXPECT_EQ(integrals.orbitals, facts.orbitals);
  EXPECT_EQ(integrals.electrons, facts.electrons);
  EXPECT_EQ(integrals.ms2, facts.ms2);
  EXPECT_EQ(integrals.core_energy, facts.core_energy);
  EXPECT_EQ((*integrals.alpha_alpha)(0, 0, 0, 0), facts.first_integral);
  EXPECT_EQ(integrals.orbital_irreps[alpha], facts.irreps);
  EXPECT_EQ(integrals.orbital_irreps[beta], facts.irreps);
  EXPECT_EQ(integrals.orbital_energies[alpha].size(), std::size_t(facts.orbitals));
  EXPECT_EQ(integrals.orbital_energies[beta].size(), std::size_t(facts.orbitals));
  EXPECT_TRUE(integrals.warnings.empty()) << integrals.warnings[0];
}

INSTANTIATE_TEST_SUITE_P(
    All, RealFile,
    ::testing::Values(FileFacts{"be_ccpvdz.fcidump",
                                14,
                                4,
                                0,
                                0.0,
                                2.27313592194124236556,
                                {0, 0, 0, 0, 0, 3, 5, 6, 4, 4, 2, 2, 1, 1}},
                      FileFacts{"ch2_631g.fcidump",
                                13,
                                8,
                                0,
                                6.12869450692708106487,
                                3.50631281636534186674,
                                {0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2}},
                      FileFacts{"h8_chain_sto3g.fcidump",
                                8,
                                8,
                                0,
                                4.04022600527412745208,
                                0.264986940742893639644,
                                {0, 0, 0, 0, 4, 4, 4, 4}},
                      FileFacts{"nh3_sto3g.fcidump", 8, 10, 0, 11.9539937234129389765,
                                4.12665945521199883927, std::vector<int>(8, 0)},
                      FileFacts{"n2_sto3g.fcidump",
                                10,
                                14,
                                0,
                                23.5724393843909076907,
                                2.30686566434048456742,
                                {0, 0, 0, 5, 6, 4, 4, 4, 2, 1}},
                      FileFacts{"h2o_631g_frozen_core.fcidump", 12, 8, 0, -52.1215880315636468367,
                                0.755524658307511819419, std::vector<int>(12, 0)},
                      FileFacts{"n2_631g_frozen_core.fcidump",
                                16,
                                10,
                                0,
                                -77.4334672543331095085,
                                0.821244266880869600023,
                                {0, 0, 0, 0, 5, 5, 6, 6, 4, 4, 4, 4, 2, 2, 1, 1}},
                      FileFacts{"o2_sto3g_uhf.fcidump",
                                10,
                                16,
                                2,
                                28.0474877705010356976,
                                2.59398967179957429252,
                                {0, 0, 0, 5, 6, 4, 4, 4, 2, 1}}));

std::vector<int> lowest_orbitals(const std::vector<double>& energies, int count) {
  std::vector<int> order(energies.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int p, int q) { return energies[p] < energies[q]; });
  order.resize(count);
  return order;
}

TEST(RestrictedFile, OrbitalEnergiesAreTheDiagonalOfItsFockOperator) {
  const Integrals n2 = read_fcidump(data / "n2_sto3g.fcidump");
  const OneElectron& h = *n2.one_electron[alpha];
  const TwoElectron& g = *n2.alpha_alpha;
  const std::vector<double>& energies = n2.orbital_energies[alpha];
  const std::vector<int> occupied = lowest_orbitals(energies, n2.electrons / 2);

  // ε_p = h_pp + Σ_j 2(pp|jj) − (pj|pj)
  for (int p = 0; p < n2.orbitals; ++p) {
    double fock = h(p, p);
    for (const int j : occupied) fock += 2 * g(p, p, j, j) - g(p, j, p, j);
    EXPECT_NEAR(fock, energies[p], 1e-6) << "orbital " << p;
  }
  // E = E_core + Σ_i 2 h_ii + Σ_ij 2(ii|jj) − (ij|ij) = E_core + Σ_i h_ii + ε_i
  double from_integrals = n2.core_energy;
  double from_energies = n2.core_energy;
  for (const int i : occupied) {
    from_integrals += 2 * h(i, i);
    from_energies += h(i, i) + energies[i];
    for (const int j : occupied) from_integrals += 2 * g(i, i, j, j) - g(i, j, i, j);
  }
  EXPECT_NEAR(from_integrals, from_energies, 1e-6);
  // Above the full CI energy, by an ordinary correlation energy.
  const double full_ci = -107.6541224478;
  EXPECT_GT(from_integrals, full_ci);
  EXPECT_LT(from_integrals, full_ci + 0.3);
}

TEST(UnrestrictedFile, OrbitalEnergiesAreTheDiagonalsOfItsFockOperators) {
  const Integrals o2 = read_fcidump(data / "o2_sto3g_uhf.fcidump");
  ASSERT_TRUE(o2.unrestricted);
  const std::vector<int> occupied_alpha = lowest_orbitals(o2.orbital_energies[alpha], 9);
  const std::vector<int> occupied_beta = lowest_orbitals(o2.orbital_energies[beta], 7);
  const TwoElectron& aa = *o2.alpha_alpha;
  const TwoElectron& ab = *o2.alpha_beta;
  const TwoElectron& bb = *o2.beta_beta;

  // ε_p^α = h_pp^α + Σ_j^α (pp|jj) − (pj|pj) + Σ_j^β (pp|jj), and the same for β.
  double energy = o2.core_energy;
  for (int p = 0; p < o2.orbitals; ++p) {
    double fock_alpha = (*o2.one_electron[alpha])(p, p);
    double fock_beta = (*o2.one_electron[beta])(p, p);
    for (const int j : occupied_alpha) {
      fock_alpha += aa(p, p, j, j) - aa(p, j, p, j);
      fock_beta += ab(j, j, p, p);
    }
    for (const int j : occupied_beta) {
      fock_alpha += ab(p, p, j, j);
      fock_beta += bb(p, p, j, j) - bb(p, j, p, j);
    }
    EXPECT_NEAR(fock_alpha, o2.orbital_energies[alpha][p], 1e-6) << "alpha orbital " << p;
    EXPECT_NEAR(fock_beta, o2.orbital_energies[beta][p], 1e-6) << "beta orbital " << p;
    const auto is_in = [p](const std::vector<int>& set) {
      return std::find(set.begin(), set.end(), p) != set.end();
    };
    if (is_in(occupied_alpha)) energy += ((*o2.one_electron[alpha])(p, p) + fock_alpha) / 2;
    if (is_in(occupied_beta)) energy += ((*o2.one_electron[beta])(p, p) + fock_beta) / 2;
  }
  const double full_ci = -147.744035433803;
  EXPECT_GT(energy, full_ci);
  EXPECT_LT(energy, full_ci + 0.3);
}

TEST(FileCutShort, IsRefusedByTheOrbitalItLacks) {
  const std::filesystem::path path = data / "h2o_631g_missing_row.bad.fcidump";
  try {
    read_fcidump(path);
    FAIL() << "the file was accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(path.string() + ":"), message.npos) << message;
    EXPECT_NE(message.find("for orbital 12 "), message.npos) << message;
    EXPECT_NE(message.find("--allow-missing-diagonal"), message.npos) << message;
  }
}

TEST(FileCutShort, IsTakenWithWarningsWhenAllowed) {
  FcidumpOptions options;
  options.allow_missing_diagonal = true;
  const Integrals h2o = read_fcidump(data / "h2o_631g_missing_row.bad.fcidump", options);
  EXPECT_EQ((*h2o.one_electron[alpha])(11, 11), 0.0);
  EXPECT_TRUE(h2o.orbital_energies[alpha].empty());  // the last one is absent, too
  ASSERT_EQ(h2o.warnings.size(), 2U);
  EXPECT_NE(h2o.warnings[0].find("orbital 12"), std::string::npos) << h2o.warnings[0];
  EXPECT_NE(h2o.warnings[1].find("Only 11 of 12"), std::string::npos) << h2o.warnings[1];
}

}  // namespace
}  // namespace cisolve
