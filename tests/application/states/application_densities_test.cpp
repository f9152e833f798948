// Densities of eigenstates in files for other programs.
#include <cmath>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"
#include "tests/support/archive.hpp"
#include "tests/support/integrals/data_integrals.hpp"

namespace cisolve {
namespace {

class DensitiesFile : public Application {
 protected:
  std::vector<double> one(const std::string& name) const {
    return npz_member(folder_ / "one.npz", name).as<double>();
  }
  HostMatrix square(const std::vector<double>& values, std::size_t at, int n) const {
    return Eigen::Map<const HostMatrix>(values.data() + at * n * n, n, n);
  }

  /// Expects every state's energy to follow from two.h5 and the integrals over active orbitals.
  void expect_energies(const Integrals& integrals, int states) const {
    const int m = integrals.orbitals;
    const Hdf5Numbers rdm1 = hdf5_numbers(folder_ / "two.h5", "rdm1");
    const Hdf5Numbers aa = hdf5_numbers(folder_ / "two.h5", "rdm2_aa");
    const Hdf5Numbers ab = hdf5_numbers(folder_ / "two.h5", "rdm2_ab");
    const Hdf5Numbers bb = hdf5_numbers(folder_ / "two.h5", "rdm2_bb");
    const Hdf5Numbers energies = hdf5_numbers(folder_ / "two.h5", "energies");
    ASSERT_EQ(rdm1.shape, (std::vector<hsize_t>{hsize_t(states), 2, hsize_t(m), hsize_t(m)}));
    ASSERT_EQ(ab.values.size(), static_cast<std::size_t>(states) * m * m * m * m);
    for (int i = 0; i < states; ++i) {
      const Densities densities{{square(rdm1.values, 2 * i, m), square(rdm1.values, 2 * i + 1, m)},
                                square(aa.values, i, m * m),
                                square(ab.values, i, m * m),
                                square(bb.values, i, m * m)};
      EXPECT_NEAR(energy(integrals, densities), energies.values[i], 1e-10) << i;
    }
  }
};

TEST_F(DensitiesFile, GiveTheEnergiesByBothOperators) {
  for (const std::string kind : {"stored", "direct"}) {
    ASSERT_EQ(run("eigen " + data +
                  "nh3_sto3g.fcidump --states 3 --frozen 1 --backend cpu "
                  "--rdm1 one.npz --rdm2 two.h5 --force --operator " +
                  kind)
                  .status,
              0);
    expect_energies(restrict_orbitals(load("nh3_sto3g"), {0}, {}), 3);
    // The sum of both spins, as the parts say.
    const Hdf5Numbers whole = hdf5_numbers(folder_ / "two.h5", "rdm2");
    EXPECT_EQ(whole.shape, (std::vector<hsize_t>{3, 7, 7, 7, 7}));
    double pairs = 0.0;
    for (int p = 0; p < 7; ++p) {
      for (int r = 0; r < 7; ++r) pairs += square(whole.values, 2, 49)(8 * p, 8 * r);
    }
    EXPECT_NEAR(pairs, 8.0 * 7.0, 1e-10);
  }
}

/// One electron summed over leaves N − 2 times the two-particle density, in the same order.
TEST_F(DensitiesFile, OfThreeParticles) {
  for (const std::string space : {"fci", "cisd"}) {
    ASSERT_EQ(run("eigen " + data +
                  "nh3_sto3g.fcidump --states 2 --frozen 1 --backend cpu --rdm2 two.h5 "
                  "--rdm3 three.h5 --force --space " +
                  space)
                  .status,
              0);
    constexpr int m = 7, electrons = 8;
    const Hdf5Numbers two = hdf5_numbers(folder_ / "two.h5", "rdm2");
    const Hdf5Numbers three = hdf5_numbers(folder_ / "three.h5", "rdm3");
    ASSERT_EQ(three.shape, (std::vector<hsize_t>{2, m, m, m, m, m, m}));
    ASSERT_EQ(two.values.size() * m * m, three.values.size());
    double norm = 0.0;
    for (std::size_t pqrs = 0; pqrs < two.values.size(); ++pqrs) {
      double traced = 0.0;
      for (int t = 0; t < m; ++t) traced += three.values[pqrs * m * m + t * m + t];
      ASSERT_NEAR(traced, (electrons - 2) * two.values[pqrs], 1e-9) << pqrs;
      norm += std::abs(traced);
    }
    EXPECT_GT(norm, 100.0);
    EXPECT_EQ(hdf5_numbers(folder_ / "three.h5", "rdm1").values,
              hdf5_numbers(folder_ / "two.h5", "rdm1").values);
  }
}

TEST_F(DensitiesFile, OfThreeParticlesAreRefusedBeforeTheSolve) {
  const auto refused = [&](const std::string& arguments, int status, const std::string& words) {
    const Outcome outcome = run("eigen " + data + arguments + " --backend cpu");
    EXPECT_EQ(outcome.status, status) << arguments;
    expect_says(outcome, words);
  };
  refused("o2_sto3g_uhf.fcidump --rdm3 t.npz", 1,
          "three-particle densities are of restricted ones");
  refused("spinors/f_atom_kramers_7e16s.fcidump.gz --rdm3 t.npz", 1,
          "three-particle densities are of real integrals");
  refused("nh3_sto3g.fcidump --rdm3 t.trexio", 1, "TREXIO files have no place");
  refused("lih_ccpvdz.fcidump --states 3000 --rdm3 t.npz", 3,
          "--rdm3: densities of 3000 states over 19 orbitals");
}

TEST_F(DensitiesFile, OfTruncatedSpacesAndOpenShells) {
  const std::string files = " --backend cpu --rdm2 two.h5 --force";
  ASSERT_EQ(
      run("eigen " + data + "lih_ccpvdz.fcidump --space cisd --irrep 1 --states 2" + files).status,
      0);
  expect_energies(load("lih_ccpvdz"), 2);
  ASSERT_EQ(run("eigen " + data + "o2_sto3g_uhf.fcidump --states 2" + files).status, 0);
  expect_energies(load("o2_sto3g_uhf"), 2);
}

/// ⟨i| Σ_σ q†_σ p_σ |j⟩ of every pair: the adjoint's is the transpose; of i = j as `rdm1` has it;
/// over full CI the trace is the overlap times the electrons.
TEST_F(DensitiesFile, HaveTransitionsBetweenAllStates) {
  ASSERT_EQ(
      run("eigen " + data + "nh3_sto3g.fcidump --states 3 --backend cpu --rdm1 one.npz").status, 0);
  const std::vector<double> transitions = one("transition_rdm1"), states = one("rdm1");
  ASSERT_EQ(transitions.size(), 3u * 3u * 2u * 64u);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int spin = 0; spin < 2; ++spin) {
        const HostMatrix t = square(transitions, 2 * (3 * i + j) + spin, 8);
        const HostMatrix back = square(transitions, 2 * (3 * j + i) + spin, 8);
        EXPECT_LT((t - back.transpose()).norm(), 1e-12);
        EXPECT_NEAR(t.trace(), i == j ? 5.0 : 0.0, 1e-10);
        if (i == j) {
          EXPECT_LT((t - square(states, 2 * i + spin, 8)).norm(), 1e-12);
        } else {
          EXPECT_GT(t.norm(), 1e-3);
        }
      }
    }
  }
}

/// Γ^ij_pqrs is Γ^ji_qpsr and that of i = j the state's; (N − 1) γ^ij is what is left of it when
/// one electron is summed over.
TEST_F(DensitiesFile, HaveTransitionsOfTwoParticles) {
  for (const std::string space : {"fci", "cisd"}) {
    ASSERT_EQ(run("eigen " + data +
                  "nh3_sto3g.fcidump --states 2 --multiplicity 1 --frozen 1 --backend cpu --force "
                  "--rdm1 one.npz --rdm2 two.h5 --space " +
                  space)
                  .status,
              0);
    constexpr int m = 7, electrons = 8;
    const Hdf5Numbers all = hdf5_numbers(folder_ / "two.h5", "transition_rdm2");
    const Hdf5Numbers states = hdf5_numbers(folder_ / "two.h5", "rdm2");
    const std::vector<double> transitions = one("transition_rdm1");
    ASSERT_EQ(all.shape, (std::vector<hsize_t>{2, 2, m, m, m, m}));
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(square(all.values, 3 * i, m * m), square(states.values, i, m * m));
      for (int j = 0; j < 2; ++j) {
        const HostMatrix two = square(all.values, 2 * i + j, m * m);
        const HostMatrix back = square(all.values, 2 * j + i, m * m);
        EXPECT_LT((two - reversed_two(back)).norm(), 1e-12);
        HostMatrix left = HostMatrix::Zero(m, m);
        for (int p = 0; p < m; ++p) {
          for (int q = 0; q < m; ++q) {
            for (int r = 0; r < m; ++r) left(q, p) += two(p * m + q, r * m + r);
          }
        }
        const HostMatrix gamma =
            square(transitions, 2 * (2 * i + j), m) + square(transitions, 2 * (2 * i + j) + 1, m);
        EXPECT_LT((left - (electrons - 1) * gamma).norm(), 1e-10) << space << i << j;
        EXPECT_GT(gamma.norm(), 1e-3);
      }
    }
  }
  ASSERT_EQ(run("eigen " + data +
                "o2_sto3g_uhf.fcidump --states 2 --backend cpu --force "
                "--rdm2 two.h5")
                .status,
            0);
  EXPECT_EQ(hdf5_numbers(folder_ / "two.h5", "transition_rdm2_ab").shape,
            (std::vector<hsize_t>{2, 2, 10, 10, 10, 10}));
}

TEST_F(DensitiesFile, LackNaturalOrbitalsOfUnrestrictedOnes) {
  ASSERT_EQ(run("eigen " + data + "o2_sto3g_uhf.fcidump --backend cpu --rdm1 one.npz").status, 0);
  EXPECT_FALSE(npz_has(folder_ / "one.npz", "natural_orbitals"));
  ASSERT_EQ(run("eigen " + data + "h2_sto3g.fcidump --backend cpu --rdm1 one.npz").status, 0);
  EXPECT_TRUE(npz_has(folder_ / "one.npz", "natural_orbitals"));
}

/// 40 states of 16 orbitals: densities of the states take 0.15 GB, those of all pairs more than 2.
TEST_F(DensitiesFile, AreAsManyAsThereIsMemoryFor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "address sanitizers take more address space than any limit leaves";
#endif
  const Outcome outcome = shell(
      "ulimit -v 2000000; \"$CISOLVE\" eigen "
      "generate:molecule,orbitals=16,electrons=2 "
      "--states 40 --verify off --backend cpu --threads 1 --rdm2 two.npz --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(json("r.json")["notes"].dump().find("no two-particle densities of transitions: "),
            std::string::npos);
  EXPECT_EQ(npz_member(folder_ / "two.npz", "rdm2").as<double>().size(), 40u * 65536u);
  EXPECT_EQ(contents(folder_ / "two.npz").find("transition_rdm2"), std::string::npos);
}

TEST_F(DensitiesFile, OrAnErrorComeWithAnyLimitOfTheAddressSpace) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "address sanitizers take more address space than any limit leaves";
#endif
  bool failed = false, solved = false;
  for (int limit = 120'000; limit <= 420'000; limit += 25'000) {
    const Outcome outcome =
        shell("ulimit -v " + std::to_string(limit) + "; timeout -k 1 10 \"$CISOLVE\" eigen " +
              data + "nh3_sto3g.fcidump --states 3 --backend cpu --threads 1 --rdm1 limited.npz");
    SCOPED_TRACE(std::to_string(limit) + " kB: " + outcome.err);
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 3) << outcome.status;
    EXPECT_EQ(outcome.status == 0, std::filesystem::exists(folder_ / "limited.npz"));
    std::filesystem::remove(folder_ / "limited.npz");
    failed = failed || outcome.status == 3;
    solved = solved || outcome.status == 0;
  }
  EXPECT_TRUE(failed && solved);
}

TEST_F(DensitiesFile, AreRefusedWhereThereAreNone) {
  write_pair();
  const auto expect_refused = [&](const std::string& arguments, const std::string& reason) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    expect_says(outcome, reason);
  };
  expect_refused("eigen pair.mtx --backend cpu --rdm1 one.npz", "densities are of determinants");
  expect_refused("eigen " + data + "h2_sto3g.fcidump --rdm2 one.npy",
                 "--rdm2: one.npy: expected a name that ends in .npz, .h5, .hdf5 or .trexio");
  expect_refused("eigen " + data + "h2_sto3g.fcidump --rdm2 one.h5 --rdm1 one.h5",
                 "is the same file as");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "one.npz"));
}

}  // namespace
}  // namespace cisolve
