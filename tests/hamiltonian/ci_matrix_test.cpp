#include "hamiltonian/matrix/ci_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "hamiltonian/integrals/restrict_orbitals.hpp"
#include "tests/support/determinants/orbital_strings.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/data_integrals.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using cisolve::testing::to_dense;

CsrMatrix build_in(const CiSpace& space, const Integrals& integrals) {
  const CiMatrixBuilder builder(integrals, space);
  return builder.fill(builder.count());
}

CsrMatrix build(const Integrals& integrals, const CiSpaceOptions& options) {
  return build_in(make_ci_space(integrals, options), integrals);
}

HostVector eigenvalues(const Integrals& integrals, const CiSpaceOptions& options, int count = -1) {
  return symmetric_eigen(to_dense(build(integrals, options)), count).values;
}

/// max |x_ij − y_ij|, NaN when an element is.
double largest_difference(const HostMatrix& x, const HostMatrix& y) {
  double largest = 0;
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      const double difference = std::abs(x(i, j) - y(i, j));
      if (std::isnan(difference)) return difference;
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

/// Columns ascend, every diagonal element and no other zero is stored, H_IJ = H_JI to the bit.
void expect_well_formed(const CsrMatrix& a) {
  Offset off_diagonal_zeros = 0, diagonals = 0, asymmetric = 0;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.column_indices[k];
      ASSERT_TRUE(j >= 0 && j < a.columns);
      if (k > a.row_offsets[i]) {
        ASSERT_LT(a.column_indices[k - 1], j);
      }
      diagonals += i == j;
      off_diagonal_zeros += i != j && a.values[k] == 0.0;
      const auto begin = a.column_indices.begin() + a.row_offsets[j];
      const auto end = a.column_indices.begin() + a.row_offsets[j + 1];
      const auto found = std::lower_bound(begin, end, i);
      const bool mirrored =
          found != end && *found == i &&
          std::bit_cast<std::uint64_t>(a.values[found - a.column_indices.begin()]) ==
              std::bit_cast<std::uint64_t>(a.values[k]);
      asymmetric += !mirrored;
    }
  }
  EXPECT_EQ(diagonals, a.rows);
  EXPECT_EQ(off_diagonal_zeros, 0);
  EXPECT_EQ(asymmetric, 0);
}

class AgainstSecondQuantisation : public ::testing::TestWithParam<bool> {};

TEST_P(AgainstSecondQuantisation, EveryElementIsTheSameInEverySpace) {
  int spaces = 0;
  for (int orbitals = 3; orbitals <= 5; ++orbitals) {
    for (int electrons = 1; electrons <= 2 * orbitals; ++electrons) {
      for (int ms2 = electrons % 2 == 0 ? -2 : -1; ms2 <= 2; ms2 += 2) {
        if (std::max(electrons + ms2, electrons - ms2) > 2 * orbitals) continue;
        if (std::abs(ms2) > electrons) continue;
        const Integrals integrals = random_integrals(orbitals, electrons, ms2, GetParam(), 17);
        const SlowHamiltonian slow(integrals);
        for (int rank = -1; rank <= (orbitals < 5 ? 4 : 3); ++rank) {
          CiSpaceOptions options;
          if (rank >= 0) options.max_excitation = rank;
          const CiSpace space = make_ci_space(integrals, options);
          const CsrMatrix a = build_in(space, integrals);
          ASSERT_EQ(a.rows, space.size());
          ASSERT_LE(largest_difference(to_dense(a), slow.over(space)), 1e-12)
              << orbitals << " orbitals, " << electrons << " electrons, MS2 " << ms2 << ", rank "
              << rank;
          ++spaces;
        }
      }
    }
  }
  EXPECT_GT(spaces, 150);
}

INSTANTIATE_TEST_SUITE_P(Orbitals, AgainstSecondQuantisation, ::testing::Bool(),
                         [](const auto& test) {
                           return test.param ? "Unrestricted" : "Restricted";
                         });

TEST(CiMatrix, IrrepsGiveTheBlocksOfSecondQuantisation) {
  for (const bool unrestricted : {false, true}) {
    const Integrals integrals = random_integrals(5, 5, 1, unrestricted, 4, {0, 1, 2, 3, 1});
    const SlowHamiltonian slow(integrals);
    for (int irrep = 0; irrep < 4; ++irrep) {
      for (const int rank : {2, 3, 9}) {
        const CiSpace space = make_ci_space(integrals, {rank, irrep});
        EXPECT_LE(largest_difference(to_dense(build_in(space, integrals)), slow.over(space)),
                  1e-12);
      }
    }
  }
}

/// Restricted active spaces whose beta strings of an alpha string are several ranges.
std::vector<CiSpaceOptions> restricted_active_spaces() {
  std::vector<CiSpaceOptions> list;
  for (const std::optional<int> irrep : {std::optional<int>(), std::optional<int>(1)}) {
    for (const RestrictedActiveSpace& ras :
         {RestrictedActiveSpace{0b000011_string, 0b110000_string, 1, 1},
          {0b000011_string, 0b110000_string, 2, 2},
          {0b100001_string, 0b010100_string, 2, 1},
          {0b000111_string, 0b111000_string, 2, 3},
          {0b000001_string, {}, 0, 0}}) {
      list.push_back({{}, irrep});
      list.back().ras = ras;
    }
  }
  return list;
}

TEST(CiMatrix, RestrictedActiveSpacesGiveThoseOfSecondQuantisation) {
  int several = 0;
  for (const auto& [electrons, ms2] : {std::pair{6, 0}, {7, 1}, {6, -2}}) {
    const Integrals integrals =
        random_integrals(6, electrons, ms2, electrons == 7, 4, {0, 1, 2, 3, 1, 0});
    const SlowHamiltonian slow(integrals);
    for (const CiSpaceOptions& options : restricted_active_spaces()) {
      const CiSpace space = make_ci_space(integrals, options);
      const CsrMatrix a = build_in(space, integrals);
      expect_well_formed(a);
      const HostMatrix dense = to_dense(a);
      EXPECT_LE(largest_difference(dense, slow.over(space)), 1e-12);
      const CiMatrixBuilder builder(integrals, space);
      const std::vector<double> diagonal = builder.diagonal();
      const std::vector<Index> last{static_cast<Index>(space.size() - 1)};
      const CsrMatrix row = builder.some_rows(last);
      for (Index i = 0; i < a.rows; ++i) EXPECT_EQ(diagonal[i], dense(i, i));
      EXPECT_EQ(row.nonzeros(), a.row_offsets[a.rows] - a.row_offsets[a.rows - 1]);
      several += !space.has_single_ranges();
    }
  }
  EXPECT_GE(several, 10);
}

TEST(CiMatrix, EigenvaluesOfAllIrrepsTogetherAreThoseOfTheWholeSpace) {
  const Integrals integrals = random_integrals(5, 4, 0, true, 6, {0, 1, 2, 3, 1});
  std::vector<double> together;
  for (int irrep = 0; irrep < 4; ++irrep) {
    const HostVector values = eigenvalues(integrals, {{}, irrep});
    together.insert(together.end(), values.begin(), values.end());
  }
  std::sort(together.begin(), together.end());
  const HostVector whole = eigenvalues(integrals, {});
  ASSERT_EQ(static_cast<Eigen::Index>(together.size()), whole.size());
  for (Eigen::Index i = 0; i < whole.size(); ++i) EXPECT_NEAR(together[i], whole[i], 1e-11);
}

TEST(CiMatrix, IsSymmetricToTheBitWithAscendingColumnsAndWithoutZeros) {
  expect_well_formed(build(load("h2o_631g_frozen_core"), {3, {}}));
  expect_well_formed(build(load("lih_ccpvdz"), {{}, 1}));
  expect_well_formed(build(load("n2_sto3g"), {}));
  expect_well_formed(build(load("o2_sto3g_uhf"), {}));
  expect_well_formed(build(random_integrals(7, 7, 1, true, 2), {4, {}}));
}

TEST(CiMatrix, CountingGivesTheOffsetsThatFillingKeeps) {
  const Integrals integrals = load("lih_ccpvdz");
  const CiSpace space = make_ci_space(integrals, {3, 2});
  const CiMatrixBuilder builder(integrals, space);
  const auto offsets = builder.count();
  const CsrMatrix a = builder.fill(offsets);
  EXPECT_EQ(a.row_offsets, offsets);
  EXPECT_EQ(a.values.size(), static_cast<std::size_t>(offsets.back()));
  EXPECT_GT(builder.table_bytes(), 0u);
}

TEST(CiMatrix, ACountTellsHowFarItIsAndEndsWhereItIsTold) {
  const Integrals integrals = load("nh3_sto3g");
  const CiSpace space = make_ci_space(integrals, {});
  const CiMatrixBuilder builder(integrals, space);
  const Array<Offset> row_offsets = builder.count();
  std::vector<CountedRows> told;
  EXPECT_EQ(builder.count({[&](const CountedRows& counted) { told.push_back(counted); }, 0.0}),
            row_offsets);
  ASSERT_GE(told.size(), 56u);  // blocks share their alpha string
  EXPECT_EQ(told.back().rows, space.size());
  EXPECT_EQ(told.back().entries, row_offsets.back());
  // Some rows tell about all of them: they are spread.
  const CountedRows& some = told[told.size() / 4];
  EXPECT_NEAR(static_cast<double>(some.entries) / some.rows,
              static_cast<double>(row_offsets.back()) / space.size(), 0.05 * 202.0);

  int calls = 0;
  const auto stop = [&](const CountedRows&) {
    ++calls;
    throw ResourceError("enough");
  };
  EXPECT_THROW(builder.count({stop, 0.0}), ResourceError);
  EXPECT_LT(calls, static_cast<int>(told.size()) / 2);
}

TEST(CiMatrix, TheUpperTriangleIsThatOfTheWholeMatrixToTheBit) {
  struct Space {
    Integrals integrals;
    CiSpaceOptions options;
  };
  std::vector<Space> spaces;
  spaces.push_back({load("h2o_631g_frozen_core"), {2, {}}});
  spaces.push_back({load("lih_ccpvdz"), {{}, 1}});
  spaces.push_back({load("n2_sto3g"), {}});
  spaces.push_back({load("o2_sto3g_uhf"), {}});
  spaces.push_back({random_integrals(6, 5, 1, true, 2, {0, 1, 2, 3, 1, 0}), {3, 1}});
  for (const CiSpaceOptions& options : restricted_active_spaces()) {
    spaces.push_back({random_integrals(6, 6, 0, false, 2, {0, 1, 2, 3, 1, 0}), options});
  }
  for (const auto& [integrals, options] : spaces) {
    const CiSpace space = make_ci_space(integrals, options);
    const CsrMatrix whole = build_in(space, integrals);
    const CiMatrixBuilder builder(integrals, space, Storage::upper);
    const CsrMatrix upper = builder.fill(builder.count());
    validate(upper, "upper");
    EXPECT_EQ(upper.storage, Storage::upper);
    EXPECT_EQ(full_nonzeros(upper), whole.nonzeros());
    const CsrMatrix expected = upper_triangle(whole, "whole");
    EXPECT_EQ(upper.row_offsets, expected.row_offsets);
    EXPECT_EQ(upper.column_indices, expected.column_indices);
    ASSERT_EQ(upper.values.size(), expected.values.size());
    EXPECT_EQ(std::memcmp(upper.values.data(), expected.values.data(),
                          upper.values.size() * sizeof(double)),
              0);
  }
}

TEST(CiMatrix, KnownNumberOfNonzeros) {
  const Integrals water = load("h2o_631g_frozen_core");
  const CiSpace space = make_ci_space(water, {});
  EXPECT_EQ(CiMatrixBuilder(water, space).count().back(), 99631665);
}

TEST(CiMatrix, DiagonalElementsAreStoredEvenWhenZero) {
  Integrals integrals = random_integrals(4, 4, 0, false, 1);
  integrals.core_energy = 0.0;
  integrals.one_electron[alpha] = integrals.one_electron[beta] = std::make_shared<OneElectron>(4);
  integrals.alpha_alpha = integrals.alpha_beta = integrals.beta_beta =
      std::make_shared<TwoElectron>(4);
  const CsrMatrix a = build(integrals, {});
  EXPECT_EQ(a.nonzeros(), 36);
  expect_well_formed(a);
}

TEST(CiMatrix, LowestEigenvaluesAreTheReferenceEnergies) {
  const Integrals ammonia = load("nh3_sto3g");
  EXPECT_NEAR(eigenvalues(ammonia, {2, {}}, 1)[0], -55.517613462102, 1e-8);
  EXPECT_NEAR(eigenvalues(ammonia, {3, {}}, 1)[0], -55.517778492325, 1e-8);
  EXPECT_NEAR(eigenvalues(load("h2o_631g_frozen_core"), {2, {}}, 1)[0], -76.113093185140, 1e-8);
  EXPECT_NEAR(eigenvalues(load("lih_ccpvdz"), {2, 0}, 1)[0], -8.014743269056, 1e-8);
  EXPECT_NEAR(eigenvalues(load("n2_631g_frozen_core"), {2, 0}, 1)[0], -109.078318770598, 1e-8);
  EXPECT_NEAR(eigenvalues(load("o2_sto3g_uhf"), {}, 1)[0], -147.744035433803, 1e-8);
}

TEST(CiMatrix, IrrepsTogetherHoldTheDegenerateRootsOfBeryllium) {
  const Integrals beryllium = load("be_ccpvdz");
  std::vector<double> lowest;
  for (int irrep = 0; irrep < 8; ++irrep) {
    const HostVector values = eigenvalues(beryllium, {{}, irrep}, 4);
    lowest.insert(lowest.end(), values.begin(), values.end());
  }
  std::sort(lowest.begin(), lowest.end());
  const double expected[] = {-14.6174091633, -14.5163224870, -14.5163224870, -14.5163224870,
                             -14.4108066531, -14.4108066531, -14.4108066531, -14.3424049585,
                             -14.3424049585, -14.3424049585};
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(lowest[k], expected[k], 1e-8);
}

/// Two electrons in 64 orbitals, checked by the formulas that two electrons have: a word of a
/// string is full, and no shift may reach 64.
TEST(CiMatrix, SixtyFourOrbitalsWithOppositeSpins) {
  const Integrals integrals = random_integrals(64, 2, 0, false, 5);
  const OneElectron& h = *integrals.one_electron[alpha];
  for (const int rank : {1, 2}) {
    const CiSpace space = make_ci_space(integrals, {rank, {}});
    const auto list = determinants(space);
    ASSERT_EQ(list.size(), rank == 1 ? 127u : 4096u);
    const CsrMatrix a = build_in(space, integrals);
    ASSERT_EQ(a.nonzeros(), static_cast<Offset>(list.size() * list.size()));
    double worst = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int p = list[i][alpha].first(), r = list[i][beta].first();
      for (std::size_t j = 0; j < list.size(); ++j) {
        const int q = list[j][alpha].first(), s = list[j][beta].first();
        const double expected = (i == j) * integrals.core_energy + (r == s) * h(p, q) +
                                (p == q) * h(r, s) + (*integrals.alpha_beta)(p, q, r, s);
        worst = std::max(worst, std::abs(a.values[i * list.size() + j] - expected));
      }
    }
    EXPECT_LE(worst, 1e-13);
  }
}

TEST(CiMatrix, SixtyFourOrbitalsWithParallelSpins) {
  for (const int ms2 : {2, -2}) {
    const Integrals integrals = random_integrals(64, 2, ms2, false, 5);
    const OneElectron& h = *integrals.one_electron[alpha];
    const TwoElectron& g = *integrals.alpha_alpha;
    const CiSpace space = make_ci_space(integrals, {});
    const auto list = determinants(space);
    ASSERT_EQ(list.size(), 2016u);
    const HostMatrix a = to_dense(build_in(space, integrals));
    double worst = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const OrbitalString left = list[i][alpha] | list[i][beta];
      const int p = left.first(), q = left.rest().first();
      for (std::size_t j = 0; j < list.size(); ++j) {
        const OrbitalString right = list[j][alpha] | list[j][beta];
        const int r = right.first(), s = right.rest().first();
        const double expected = (i == j) * integrals.core_energy + (q == s) * h(p, r) -
                                (q == r) * h(p, s) - (p == s) * h(q, r) + (p == r) * h(q, s) +
                                g(p, r, q, s) - g(p, s, q, r);
        worst = std::max(worst, std::abs(a(i, j) - expected));
      }
    }
    EXPECT_LE(worst, 1e-13);
  }
}

TEST(RestrictOrbitals, GivesTheEigenvaluesOfTheDeterminantsThatItKeeps) {
  for (const bool unrestricted : {false, true}) {
    const Integrals integrals = random_integrals(6, 6, 0, unrestricted, 12);
    const CiSpace space = make_ci_space(integrals, {});
    const auto list = determinants(space);
    std::vector<Eigen::Index> kept;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto fits = [&](const OrbitalString& s) { return s.has(2) && !s.has(4); };
      if (fits(list[i][alpha]) && fits(list[i][beta])) kept.push_back(static_cast<Eigen::Index>(i));
    }
    const HostMatrix whole = to_dense(build_in(space, integrals));
    const HostVector expected = symmetric_eigen(whole(kept, kept)).values;
    const HostVector found = eigenvalues(restrict_orbitals(integrals, {2}, {0, 1, 3, 5}), {});
    ASSERT_EQ(found.size(), 36);
    EXPECT_LE(largest_difference(found, expected), 1e-11);
  }
}

}  // namespace
}  // namespace cisolve
