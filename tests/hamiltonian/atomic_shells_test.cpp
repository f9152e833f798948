// The integrals that the hard spectra are made of, and the file that they are written to.

#include "tests/support/integrals/atomic_shells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "tests/support/integrals/fcidump_writer.hpp"
#include "tests/support/matrices/hard_spectra.hpp"

namespace cisolve::testing {
namespace {

HostVector energies_of(const Integrals& integrals) {
  return symmetric_eigen(to_dense(hard::full_ci(integrals))).values;
}

struct Level {
  double energy;
  int states;
};

std::vector<Level> levels_of(const Integrals& integrals) {
  std::vector<Level> levels;
  for (const double energy : energies_of(integrals)) {
    if (levels.empty() || energy - levels.back().energy > 1e-9) levels.push_back({energy, 0});
    ++levels.back().states;
  }
  return levels;
}

std::vector<int> sizes_of(const Integrals& integrals) {
  std::vector<int> sizes;
  for (const Level& level : levels_of(integrals)) sizes.push_back(level.states);
  std::ranges::sort(sizes);
  return sizes;
}

TEST(AtomicShells, have_the_terms_of_their_configurations) {
  // A term of L has 2L + 1 states with M_s = 0 or 1/2.
  EXPECT_EQ(sizes_of(atoms::shells({1}, 3, 0.5, 1)), (std::vector{1, 3, 5}));  // 4S 2P 2D
  EXPECT_EQ(sizes_of(atoms::shells({2}, 2, 0.5, 2)),
            (std::vector{1, 3, 5, 7, 9}));  // 1S 3P 1D 3F 1G
  EXPECT_EQ(sizes_of(atoms::shells({3}, 2, 0.5, 3)), (std::vector{1, 3, 5, 7, 9, 11, 13}));
  EXPECT_EQ(sizes_of(atoms::shells({1, 2}, 1, 0.5, 4)), (std::vector{3, 5}));
}

TEST(AtomicShells, have_levels_of_p2_as_Slater_gives_them) {
  const std::vector<Level> levels = levels_of(atoms::shells({1}, 2, 0.5, 5));
  ASSERT_EQ(levels.size(), 3u);  // 3P, 1D, 1S: −5, 1 and 10 twenty-fifths of F2 beside F0
  EXPECT_EQ(levels[0].states, 3);
  EXPECT_EQ(levels[1].states, 5);
  EXPECT_NEAR((levels[2].energy - levels[1].energy) / (levels[1].energy - levels[0].energy), 1.5,
              1e-10);
}

TEST(AtomicShells, have_irreps_that_their_integrals_keep) {
  const Integrals shells = atoms::shells({1, 2}, 3, 0.5, 6);
  EXPECT_EQ(shells.orbital_irreps[alpha], (std::vector{2, 4, 1, 3, 6, 0, 5, 0}));
  const HostVector without = energies_of(shells);
  std::vector<double> with;
  for (int irrep = 0; irrep < 8; ++irrep) {
    CiSpaceOptions options;
    options.irrep = irrep;
    const CiSpace space = make_ci_space(shells, options);
    const CiMatrixBuilder builder(shells, space);
    for (const double e : symmetric_eigen(to_dense(builder.fill(builder.count()))).values) {
      with.push_back(e);
    }
  }
  std::ranges::sort(with);
  ASSERT_EQ(static_cast<Eigen::Index>(with.size()), without.size());
  for (Eigen::Index i = 0; i < without.size(); ++i) EXPECT_NEAR(with[i], without[i], 1e-10);
}

TEST(WrittenIntegrals, are_read_as_they_were) {
  const Integrals shells = atoms::shells({0, 1}, 3, 0.5, 7);
  std::mt19937 engine(7);
  const HostMatrix q = hard::random_rotation(4, engine), u = hard::random_rotation(4, engine);
  const HostVector right = energies_of(shells);
  for (const Integrals& written :
       {shells, hard::transformed(shells, {q, q}), hard::transformed(shells, {q, u})}) {
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / "written_integrals.fcidump";
    write_fcidump(written, file);
    const Integrals read = read_fcidump(file);
    std::filesystem::remove(file);
    EXPECT_EQ(read.unrestricted, written.unrestricted);
    EXPECT_EQ(read.orbital_irreps, written.orbital_irreps);
    EXPECT_LE((energies_of(read) - right).cwiseAbs().maxCoeff(), 1e-10);
  }
}

}  // namespace
}  // namespace cisolve::testing
