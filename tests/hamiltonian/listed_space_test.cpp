// Lists of determinants: matrices, S², densities and weights over them.
#include "hamiltonian/space/listed/listed_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "hamiltonian/density/vector_sums.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "hamiltonian/matrix/list_matrix.hpp"
#include "hamiltonian/states/excitation_rank.hpp"
#include "hamiltonian/states/irrep_weights.hpp"
#include "hamiltonian/states/spin_matrix.hpp"
#include "tests/support/determinants/listed_spaces.hpp"
#include "tests/support/determinants/orbital_strings.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/matrices/same_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

static_assert(DeterminantSpace<CiSpace> && DeterminantSpace<ListedSpace>);

/// The rows of a space that keep(row) wants, shuffled, as a list.
template <class Keep>
ListedSpace listed(const CiSpace& space, Keep keep) {
  std::vector<Determinant> list;
  for (std::int64_t row = 0; row < space.size(); ++row) {
    if (keep(row)) list.push_back(space.determinant(row));
  }
  std::shuffle(list.begin(), list.end(), std::mt19937(1));
  return testing::listed_space(space.alpha.orbitals, list, space.reference());
}

ListedSpace all_of(const CiSpace& space) {
  return listed(space, [](std::int64_t) { return true; });
}

/// Number in the space of each determinant of a list.
std::vector<Eigen::Index> rows_of(const ListedSpace& list, const CiSpace& space) {
  std::vector<Eigen::Index> rows;
  for (std::int64_t row = 0; row < list.size(); ++row) {
    const auto [a, b] = list.determinant(row);
    rows.push_back(space.row(space.alpha.find(a), space.beta.find(b)));
    EXPECT_GE(rows.back(), 0);
  }
  return rows;
}

template <class Space>
CsrMatrix matrix_over(const Space& space, const Integrals& integrals, Storage storage) {
  const AnySpace any(space);
  const auto builder = make_matrix_builder(integrals, any, storage);
  return builder->fill(builder->count());
}

Densities densities_of(const AnySpace& space, const HostVector& bra, const HostVector& ket) {
  return make_vector_sums(space)->densities(bra, ket);
}

HostVector s_squared_of(const AnySpace& space, const HostVector& x) {
  return make_vector_sums(space)->apply_s_squared(x);
}

template <class Space>
Densities densities_over(const Space& space, const HostVector& bra, const HostVector& ket) {
  return densities_of(AnySpace(space), bra, ket);
}

template <class Space>
HostVector s_squared_times(const Space& space, const HostVector& x) {
  return s_squared_of(AnySpace(space), x);
}

void expect_near(const Densities& x, const Densities& y, double tolerance) {
  const auto distance = [](const HostMatrix& m, const HostMatrix& n) {
    return (m - n).cwiseAbs().maxCoeff();
  };
  EXPECT_LE(distance(x.one[alpha], y.one[alpha]), tolerance);
  EXPECT_LE(distance(x.one[beta], y.one[beta]), tolerance);
  EXPECT_LE(distance(x.alpha_alpha, y.alpha_alpha), tolerance);
  EXPECT_LE(distance(x.alpha_beta, y.alpha_beta), tolerance);
  EXPECT_LE(distance(x.beta_beta, y.beta_beta), tolerance);
}

HostVector random_vector(std::int64_t size, unsigned seed) {
  std::srand(seed);
  return HostVector::Random(size).normalized();
}

class ListedSpaces : public ::testing::TestWithParam<RandomCase> {};

INSTANTIATE_TEST_SUITE_P(, ListedSpaces,
                         ::testing::Values(RandomCase{6, 6, 0, false, 1},
                                           RandomCase{6, 5, 1, false, 4},
                                           RandomCase{5, 5, -1, true, 1},
                                           RandomCase{6, 2, 2, false, 2}));

/// All determinants of a full space, in the order that it has, to the bit.
TEST_P(ListedSpaces, OfAllDeterminantsAreTheSpace) {
  const Integrals integrals = integrals_of(GetParam());
  const CiSpace space = make_ci_space(integrals, {});
  const ListedSpace list = all_of(space);
  ASSERT_EQ(list.size(), space.size());
  for (std::int64_t row = 0; row < space.size(); ++row) {
    ASSERT_EQ(list.determinant(row), space.determinant(row));
    ASSERT_EQ(list.alpha_of(row), space.alpha_of(row));
  }
  for (const Storage storage : {Storage::full, Storage::upper}) {
    testing::expect_same(matrix_over(list, integrals, storage),
                         matrix_over(space, integrals, storage));
  }
  EXPECT_EQ(ListMatrixBuilder(integrals, list).diagonal(),
            CiMatrixBuilder(integrals, space).diagonal());
  const HostVector x = random_vector(space.size(), 3), y = random_vector(space.size(), 4);
  EXPECT_LE((s_squared_times(list, x) - s_squared_times(space, x)).cwiseAbs().maxCoeff(), 1e-14);
  testing::expect_same(s_squared_matrix(list), s_squared_matrix(space));
  EXPECT_EQ(open_shell_counts(list), open_shell_counts(space));
  expect_near(densities_over(list, x, x), densities_over(space, x, x), 1e-14);
  expect_near(densities_over(list, x, y), densities_over(space, x, y), 1e-14);
  EXPECT_EQ(rank_weights(list, x), rank_weights(space, x));
  EXPECT_EQ(irrep_weights(list, integrals, x), irrep_weights(space, integrals, x));
}

/// Some determinants: the matrix has their elements, to the bit, and vectors have the properties of
/// those that are zero elsewhere.
TEST_P(ListedSpaces, OfSomeDeterminantsAreAPartOfTheSpace) {
  const Integrals integrals = integrals_of(GetParam());
  const CiSpace space = make_ci_space(integrals, {});
  std::mt19937 engine(7);
  const ListedSpace list = listed(space, [&](std::int64_t) { return engine() % 3 != 0; });
  const std::vector<Eigen::Index> rows = rows_of(list, space);
  ASSERT_LT(list.size(), space.size());
  ASSERT_TRUE(std::ranges::is_sorted(rows));
  for (const Storage storage : {Storage::full, Storage::upper}) {
    const HostMatrix all = testing::to_dense(matrix_over(space, integrals, storage));
    EXPECT_EQ(testing::to_dense(matrix_over(list, integrals, storage)),
              HostMatrix(all(rows, rows)));
  }
  const HostVector x = random_vector(list.size(), 3), y = random_vector(list.size(), 4);
  HostVector whole_x = HostVector::Zero(space.size()), whole_y = whole_x;
  whole_x(rows) = x;
  whole_y(rows) = y;
  const HostVector image = s_squared_times(space, whole_x);
  EXPECT_LE((s_squared_times(list, x) - image(rows)).cwiseAbs().maxCoeff(), 1e-14);
  expect_near(densities_over(list, x, x), densities_over(space, whole_x, whole_x), 1e-14);
  expect_near(densities_over(list, x, y), densities_over(space, whole_x, whole_y), 1e-14);
  std::vector<double> ranks = rank_weights(list, x);
  const std::vector<double> expected = rank_weights(space, whole_x);
  ranks.resize(expected.size(), 0.0);
  for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_NEAR(ranks[r], expected[r], 1e-14);
}

TEST(ListedSpace, OfTruncatedSpacesHasTheirMatrices) {
  const Integrals integrals = random_integrals(6, 6, 0, false, 3, {0, 1, 2, 3, 1, 0});
  CiSpaceOptions ras{{}, 1};
  ras.ras = {0b000011_string, 0b110000_string, 2, 1};
  for (const CiSpaceOptions& options : {CiSpaceOptions{2, {}}, CiSpaceOptions{{}, 2}, ras}) {
    const CiSpace space = make_ci_space(integrals, options);
    const ListedSpace list = all_of(space);
    const std::vector<Eigen::Index> rows = rows_of(list, space);
    const HostMatrix all = testing::to_dense(matrix_over(space, integrals, Storage::full));
    EXPECT_EQ(testing::to_dense(matrix_over(list, integrals, Storage::full)),
              HostMatrix(all(rows, rows)));
    const HostVector x = random_vector(space.size(), 3);
    const HostVector of_list = x(rows);
    expect_near(densities_over(list, of_list, of_list), densities_over(space, x, x), 1e-14);
    const std::vector<double> ranks = rank_weights(list, of_list),
                              expected = rank_weights(space, x);
    ASSERT_EQ(ranks.size(), expected.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_NEAR(ranks[r], expected[r], 1e-14);
  }
}

TEST(ListedSpace, SaysWhereItIsNotClosedUnderSpin) {
  const Determinant reference{0b0011_string, 0b0011_string};
  const ListedSpace open =
      testing::listed_space(4, {reference, {0b0101_string, 0b0011_string}}, reference);
  EXPECT_THROW(s_squared_matrix(open), InputError);
  const ListedSpace closed =
      testing::listed_space(4, {reference, {0b0101_string, 0b0101_string}}, reference);
  EXPECT_EQ(testing::to_dense(s_squared_matrix(closed)), HostMatrix(HostMatrix::Zero(2, 2)));
}

TEST(ListedSpace, RefusesListsThatAreNone) {
  const Integrals integrals = random_integrals(4, 3, 1, false, 3, {0, 1, 0, 1});
  const OrbitalString low = 0b0011_string, high = 0b1010_string, one = 0b0001_string;
  const auto message = [&](const DeterminantList& list, std::optional<int> irrep = {}) {
    try {
      make_listed_space(integrals, list, irrep);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [&](const std::string& part, const DeterminantList& list,
                          std::optional<int> irrep = {}) {
    EXPECT_NE(message(list, irrep).find(part), std::string::npos) << message(list, irrep);
  };
  EXPECT_EQ(message({{low, high}, {one, one}}), "");
  EXPECT_EQ(message({{low, high}, {one}, true}), "");
  expect("found 0", {});
  expect("determinant 3 is also determinant 1", {{low, high, low}, {one, one, one}});
  expect("alpha strings: string 2 is also string 1", {{low, low}, {one}, true});
  expect("determinant 2 of 2: found 1 alpha electrons, expected 2", {{low, one}, {one, one}});
  expect("beta string 1 of 1: found 2 beta electrons", {{low}, {low}, true});
  expect("alpha occupies orbital 5, expected orbitals 1 to 4", {{0b10001_string}, {one}});
  expect("none has irrep 1; found 2 of irrep 0", {{0b0101_string, high}, {one, one}}, 1);
  expect("found 1 alpha and 0 beta strings", {{low}, {}});
  EXPECT_EQ(make_listed_space(integrals, {{low, high}, {one, one}}, 1).size(), 1);
  EXPECT_EQ(make_listed_space(integrals, {{low, high}, {one, 0b0010_string}, true}, 1).size(), 2);
}

/// Of a hundred thousand determinants, each with an alpha string of its own and one of seven beta
/// strings.
TEST(ListedSpace, HasEveryDifferentStringOnce) {
  const int orbitals = 90;
  std::vector<Determinant> list;
  for (int p = 0; p < orbitals; ++p) {
    for (int q = 0; q < p; ++q) {
      for (int r = 0; r < q; ++r) {
        list.push_back({OrbitalString::of(p, q, r), OrbitalString::of((p + q + r) % 7)});
      }
    }
  }
  std::ranges::shuffle(list, std::mt19937(3));
  const ListedSpace space = testing::listed_space(orbitals, list, list.front());
  EXPECT_EQ(space.size(), std::ssize(list));
  EXPECT_EQ(space.beta.size(), 7);
  ASSERT_EQ(space.alpha.size(), std::ssize(list));
  EXPECT_EQ(std::ranges::adjacent_find(space.alpha.strings, std::greater_equal()),
            space.alpha.strings.end());
  std::ranges::sort(list);
  for (std::int64_t row = 0; row < space.size(); row += 997) {
    EXPECT_EQ(space.determinant(row), list[static_cast<std::size_t>(row)]);
  }
}

}  // namespace
}  // namespace cisolve
