// The library as its users have it, through its public headers alone: states of Hamiltonians, and
// what is computed of their vectors.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "cisolve/cisolve.hpp"
#include "tests/support/library_inputs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

TEST(Library, SaysItsVersion) {
  EXPECT_EQ(version(), CISOLVE_VERSION);
}

TEST(Library, EnergiesOfAFileWithWhatTheStatesAre) {
  EigenSettings settings;
  settings.states = 2;
  const auto hamiltonian = Hamiltonian::read(file("n2_sto3g.fcidump"));
  EXPECT_EQ(hamiltonian.rows(), 14400);
  const Eigenstates found = lowest_eigenstates(hamiltonian, settings);
  ASSERT_EQ(found.status, SolveStatus::converged);
  EXPECT_NEAR(found.states[0].energy, -107.6541224478, 1e-9);  // tests/data/references.yaml
  EXPECT_EQ(found.states[0].multiplicity, 1);
  EXPECT_FALSE(found.states[0].leading.empty());
  EXPECT_EQ(found.vectors.size(), std::size_t(2 * found.rows));
  double norm = 0.0, overlap = 0.0;
  for (std::int64_t i = 0; i < found.rows; ++i) {
    norm += found.vectors[2 * i] * found.vectors[2 * i];
    overlap += found.vectors[2 * i] * found.vectors[2 * i + 1];
  }
  EXPECT_NEAR(norm, 1.0, 1e-12);
  EXPECT_NEAR(overlap, 0.0, 1e-12);
  EXPECT_NE(found.report.text().find("\"verified\""), std::string::npos);
}

TEST(Library, ReadsAFolderOfTrexio) {
#ifdef CISOLVE_TREXIO
  const auto found = lowest_eigenstates(Hamiltonian::read(file("h2_text.trexio")), {}, {on_cpu()});
  // The lower eigenvalue of (2h_11 + g_1111, g_1212; g_1212, 2h_22 + g_2222), 0.5 above it.
  const double lower = 2 * -1.25 + 0.67, upper = 2 * -0.47 + 0.70, exchange = 0.18;
  EXPECT_NEAR(found.states.at(0).energy,
              0.5 + (lower + upper) / 2 - std::hypot((upper - lower) / 2, exchange), 1e-9);
#else
  GTEST_SKIP() << "built without libtrexio";
#endif
}

TEST(Library, StatesOfOneParityAreOverAllDeterminants) {
  DeterminantSettings odd;
  odd.spin_inversion = SpinInversion::odd;
  const auto hamiltonian = Hamiltonian::read(file("nh3_sto3g.fcidump"), odd);
  const Eigenstates found = lowest_eigenstates(hamiltonian, {});
  ASSERT_EQ(found.status, SolveStatus::converged);
  EXPECT_EQ(found.states[0].multiplicity, 3);
  EXPECT_EQ(found.rows, 3136);
  EXPECT_EQ(found.vectors.size(), 3136u);
  double norm = 0.0;
  for (const double c : found.vectors) norm += c * c;
  EXPECT_NEAR(norm, 1.0, 1e-10);
  EXPECT_THROW(solve_system(hamiltonian, {std::vector<double>(3136, 1.0)}), InputError);
}

TEST(Library, IntegralsInMemoryInAllThreeOrders) {
  const Hydrogen h2;
  const std::vector<double> full = h2.eri();
  const std::vector<double> pairs{h2.aa, 0, h2.ab, 0, h2.k, 0, h2.ab, 0, h2.bb};
  const std::vector<double> triangle{h2.aa, 0, h2.k, h2.ab, 0, h2.bb};
  for (const auto& eri : {full, pairs, triangle}) {
    IntegralArrays arrays;
    arrays.orbitals = 2;
    arrays.h1 = h2.h1;
    arrays.eri = eri;
    arrays.electrons = 2;
    arrays.core_energy = 0.7;
    const auto found = lowest_eigenstates(Hamiltonian::from_integrals(arrays), {}, {on_cpu()});
    EXPECT_NEAR(found.states[0].energy, h2.ground() + 0.7, 1e-10);
    EXPECT_EQ(found.rows, 4);
  }
}

TEST(Library, StatesOfTheSubspaceOfAProjectorAlone) {
  DeterminantSettings odd;
  odd.spin_inversion = SpinInversion::odd;
  EigenSettings settings;
  settings.states = 3;
  const std::string h6 = file("h8_chain_sto3g.fcidump");
  const auto expected = lowest_eigenstates(Hamiltonian::read(h6, odd), settings, {on_cpu()});
  const auto hamiltonian = Hamiltonian::read(h6);
  const auto strings = determinant_masks(hamiltonian).strings.first;
  settings.project = [strings](double* x, std::int64_t rows, int k) {
    ASSERT_EQ(rows, strings * strings);
    for (std::int64_t a = 0; a < strings; ++a) {
      for (std::int64_t b = 0; b <= a; ++b) {
        for (int j = 0; j < k; ++j) {
          double &ab = x[(a * strings + b) * k + j], &ba = x[(b * strings + a) * k + j];
          const double half = 0.5 * (ab - ba);
          ab = half;
          ba = -half;
        }
      }
    }
  };
  for (const char* kind : {"direct", "stored"}) {
    Machine machine = on_cpu();
    machine.more = {{"", "operator", kind}};
    const auto found = lowest_eigenstates(hamiltonian, settings, {machine});
    EXPECT_EQ(found.status, SolveStatus::converged);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.states[i].energy, expected.states[i].energy, 1e-9);
    }
  }
}

TEST(Library, SolvesBeginFromGivenVectors) {
  const Hamiltonian water = Hamiltonian::read(file("nh3_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates first = lowest_eigenstates(water, settings, {on_cpu()});
  for (const char* kind : {"stored", "direct"}) {
    Machine machine = on_cpu();
    machine.more = {{"", "operator", kind}};
    const Eigenstates again =
        lowest_eigenstates(water, settings, {machine, {}, {}, {first.vectors, 2}});
    EXPECT_GT(first.iterations, 4);
    EXPECT_LE(again.iterations, 1) << kind;
    EXPECT_NEAR(again.states[1].energy, first.states[1].energy, 1e-9);
  }
  EXPECT_THROW(lowest_eigenstates(water, settings, {on_cpu(), {}, {}, {first.vectors, 3}}),
               InputError);
}

TEST(Library, StringsOfMoreThan64OrbitalsHaveTwoWords) {
  const Hamiltonian ring = Hamiltonian::read("generate:hubbard,sites=66,electrons=2");
  const DeterminantMasks masks = determinant_masks(ring);
  ASSERT_EQ(masks.words, 2);
  ASSERT_EQ(masks.alpha.size(), 2u * 66 * 66);
  const std::size_t row = 65 * 66 + 2;  // alpha in the last orbital, beta in the third
  EXPECT_EQ(masks.alpha[2 * row], 0u);
  EXPECT_EQ(masks.alpha[2 * row + 1], 2u);
  EXPECT_EQ(masks.beta[2 * row], 4u);
  EXPECT_EQ(masks.beta[2 * row + 1], 0u);
  std::vector<double> state(66 * 66, 0.0);
  state[row] = 1.0;
  const DensityMatrices densities = density_matrices(ring, {state}, false, on_cpu());
  for (int p = 0; p < 66; ++p) {
    EXPECT_EQ(densities.one[p * 66 + p], p == 65 ? 1.0 : 0.0);
    EXPECT_EQ(densities.one[66 * 66 + p * 66 + p], p == 2 ? 1.0 : 0.0);
  }
}

TEST(Library, DensitiesOfVectorsAndTheirDeterminants) {
  const Hamiltonian water = Hamiltonian::read(file("nh3_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates found = lowest_eigenstates(water, settings, {on_cpu()});
  const DensityMatrices densities = density_matrices(water, {found.vectors, 2}, true, on_cpu());
  const int m = densities.orbitals;
  ASSERT_EQ(m, 8);
  ASSERT_EQ(densities.one.size(), 2u * 2 * 2 * m * m);
  ASSERT_EQ(densities.two.size(), 2u * 3 * m * m * m * m);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      double trace = 0.0;
      for (int p = 0; p < m; ++p) trace += densities.one[(4 * i + 2 * j) * m * m + p * (m + 1)];
      EXPECT_NEAR(trace, i == j ? 5.0 : 0.0, 1e-10);
    }
  }
  // The pairs of an alpha and a beta electron, of the second state.
  double pairs = 0.0;
  for (int p = 0; p < m * m; p += m + 1) {
    for (int r = 0; r < m * m; r += m + 1)
      pairs += densities.two[(3 + 1) * m * m * m * m + p * m * m + r];
  }
  EXPECT_NEAR(pairs, 25.0, 1e-9);

  const DeterminantMasks masks = determinant_masks(water);
  EXPECT_EQ(masks.strings, (std::pair<std::int64_t, std::int64_t>{56, 56}));
  EXPECT_EQ(masks.electrons, (std::pair{5, 5}));
  EXPECT_EQ(masks.words, 1);
  ASSERT_EQ(masks.alpha.size(), 3136u);
  EXPECT_EQ(masks.alpha[57], 0b101111u);
  EXPECT_EQ(masks.beta[57], 0b101111u);
  EXPECT_THROW(density_matrices(water, {found.vectors, 1}, false, on_cpu()), InputError);
  EXPECT_THROW(determinant_masks(Hamiltonian::from_csr(Chain(5).arrays())), InputError);
}

/// Positions that are the same everywhere, x = 2, 3 and 5, give −10 electrons · x for a state and 0
/// between two.
TEST(Library, GivesDipoleMomentsOfItsVectors) {
  const Hamiltonian ammonia = Hamiltonian::read(file("nh3_sto3g.fcidump"));
  EigenSettings settings;
  settings.states = 2;
  const Eigenstates found = lowest_eigenstates(ammonia, settings, {on_cpu()});
  PositionIntegrals integrals{std::vector<double>(3 * 8 * 8), {1.0, 2.0, 4.0}};
  const std::array<double, 3> place{2.0, 3.0, 5.0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t p = 0; p < 8; ++p) integrals.values[axis * 64 + 9 * p] = place[axis];
  }
  const auto dipoles = dipole_moments(ammonia, {found.vectors, 2}, integrals, on_cpu());
  ASSERT_EQ(dipoles.size(), 2u * 2 * 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(dipoles[axis], integrals.nuclear[axis] - 10.0 * place[axis], 1e-9);
    EXPECT_NEAR(dipoles[3 + axis], 0.0, 1e-9);
    EXPECT_NEAR(dipoles[9 + axis], dipoles[axis], 1e-9);
  }
  integrals.values.pop_back();
  EXPECT_THROW(dipole_moments(ammonia, {found.vectors, 2}, integrals, on_cpu()), InputError);
}

}  // namespace
}  // namespace cisolve
