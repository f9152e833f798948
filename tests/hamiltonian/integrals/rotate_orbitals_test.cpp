// Integrals over rotated orbitals, and FCIDUMP files of them.
#include "hamiltonian/integrals/rotate_orbitals.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>

#include "core/error.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/integrals/fcidump/write_fcidump.hpp"
#include "tests/support/integrals/random_integrals.hpp"

namespace cisolve {
namespace {

const std::vector<int> irreps{0, 1, 0, 1, 0, 3};

/// Orthogonal, within irreps.
HostMatrix random_rotation() {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  HostMatrix a = HostMatrix::Zero(6, 6);
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < p; ++q) {
      if (irreps[p] == irreps[q]) a(p, q) = -(a(q, p) = normal(engine));
    }
  }
  const HostMatrix one = HostMatrix::Identity(6, 6);
  return (one - a) * (one + a).inverse();  // Cayley's
}

TEST(RotatedOrbitals, IntegralsAreSumsOverAllFourIndices) {
  const Integrals before = random_integrals(6, 4, 0, false, 3, irreps);
  const HostMatrix c = random_rotation();
  ASSERT_LT(std::abs(c(0, 2)), 0.99);
  const Integrals after = rotated(before, c);
  EXPECT_EQ(after.orbital_irreps[alpha], before.orbital_irreps[alpha]);
  EXPECT_TRUE(after.orbital_energies[alpha].empty());
  const TwoElectron &g = *before.alpha_beta, &made = *after.alpha_beta;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int k = 0; k < 6; ++k) {
        for (int l = 0; l <= k; ++l) {
          double sum = 0.0;
          for (int p = 0; p < 6; ++p) {
            for (int q = 0; q < 6; ++q) {
              for (int r = 0; r < 6; ++r) {
                for (int s = 0; s < 6; ++s) {
                  sum += c(p, i) * c(q, j) * g(p, q, r, s) * c(r, k) * c(s, l);
                }
              }
            }
          }
          ASSERT_NEAR(made(i, j, k, l), sum, 1e-12);
          ASSERT_EQ(made(i, j, k, l), made(k, l, i, j));
          if ((irreps[i] ^ irreps[j] ^ irreps[k] ^ irreps[l]) != 0) {
            ASSERT_EQ(sum, 0.0);
          }
        }
      }
    }
  }
  const Integrals back = rotated(after, c.transpose());
  for (int p = 0; p < 6; ++p) {
    EXPECT_NEAR((*back.one_electron[beta])(p, 2), (*before.one_electron[beta])(p, 2), 1e-13);
    EXPECT_NEAR((*back.beta_beta)(p, 2, 4, 1), (*before.beta_beta)(p, 2, 4, 1), 1e-13);
  }
  EXPECT_THROW(rotated(random_integrals(6, 4, 0, true, 3, irreps), c), InputError);
}

TEST(WrittenFcidump, IsReadAsItWas) {
  const Integrals before = random_integrals(6, 5, 1, false, 3, irreps);
  const auto path = std::filesystem::temp_directory_path() / "cisolve_written.fcidump";
  write_fcidump(before, path, "w.fcidump");
  const Integrals after = read_fcidump(path);
  std::filesystem::remove(path);
  EXPECT_EQ(after.orbitals, 6);
  EXPECT_EQ(after.electrons, 5);
  EXPECT_EQ(after.ms2, 1);
  EXPECT_EQ(after.core_energy, before.core_energy);
  EXPECT_EQ(after.orbital_irreps[alpha], irreps);
  for (int pq = 0; pq < before.alpha_beta->pairs(); ++pq) {
    for (int rs = 0; rs < before.alpha_beta->pairs(); ++rs) {
      EXPECT_EQ(after.alpha_beta->row(pq)[rs], before.alpha_beta->row(pq)[rs]);
    }
  }
  for (int p = 0; p < 6; ++p) {
    for (int q = 0; q < 6; ++q) {
      EXPECT_EQ((*after.one_electron[alpha])(p, q), (*before.one_electron[alpha])(p, q));
    }
  }
  EXPECT_THROW(write_fcidump(before, path / "nowhere", "w.fcidump"), ResourceError);
}

}  // namespace
}  // namespace cisolve
