// Spin, density, ranks and labels of vectors over determinants, against second quantisation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "app/states/leading.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/function_weights.hpp"
#include "hamiltonian/density/space_densities.hpp"
#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/space/determinant_label.hpp"
#include "hamiltonian/states/excitation_rank.hpp"
#include "hamiltonian/states/irrep_weights.hpp"
#include "hamiltonian/states/natural_occupations.hpp"
#include "hamiltonian/states/spin.hpp"
#include "tests/support/determinants/orbital_strings.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// Full and truncated spaces, closed and open shells, M_s of either sign, with and without irreps.
std::vector<CiSpace> spaces() {
  const std::vector<int> irreps{0, 1, 2, 3, 0};
  std::vector<CiSpace> list;
  for (const auto& [electrons, ms2] :
       {std::pair{4, 0}, {4, 2}, {4, -2}, {5, 1}, {5, -3}, {1, 1}, {2, 2}}) {
    const Integrals integrals = random_integrals(5, electrons, ms2, false, 7, irreps);
    for (const int rank : {1, 2, 8}) {
      for (const std::optional<int> irrep : {std::optional<int>(), std::optional<int>(0)}) {
        if (electrons < 3 && irrep) continue;
        list.push_back(make_ci_space(integrals, {rank, irrep}));
      }
    }
    if (electrons < 4) continue;
    for (const std::optional<int> irrep : {std::optional<int>(), std::optional<int>(0)}) {
      CiSpaceOptions options{{}, irrep};
      options.ras = {0b00011_string, 0b11000_string, 2, 2};
      list.push_back(make_ci_space(integrals, options));
    }
  }
  return list;
}

HostVector random_state(const CiSpace& space) {
  std::mt19937 engine(3);
  std::normal_distribution<double> normal;
  const HostVector x = HostVector::NullaryExpr(space.size(), [&] { return normal(engine); });
  return x.normalized();
}

TEST(Spin, SquaredAgreesWithSecondQuantisation) {
  int truncated_and_not_closed = 0;
  for (const CiSpace& space : spaces()) {
    const HostMatrix dense = slow_s_squared(space);
    const auto excitations = make_pair_excitations(space);
    const HostVector x = random_state(space);
    EXPECT_LE((apply_s_squared(space, excitations, x) - dense * x).cwiseAbs().maxCoeff(), 1e-13);
    // A compression of S² that is not idempotent on S(S + 1): the space is not closed under S².
    for (const double value : symmetric_eigen(dense).values) {
      truncated_and_not_closed +=
          !multiplicity(value, space.alpha.electrons - space.beta.electrons);
    }
  }
  EXPECT_GT(truncated_and_not_closed, 0) << "no space tests determinants that leave it";
}

TEST(Spin, FullCiHoldsEveryMultipletOnce) {
  // 4 electrons in 4 orbitals, M_s = 0: 20 singlets, 15 triplets, 1 quintet (Weyl's formula).
  const CiSpace space = make_ci_space(random_integrals(4, 4, 0, false, 1), {});
  const auto excitations = make_pair_excitations(space);
  HostMatrix s_squared(space.size(), space.size());
  for (Eigen::Index j = 0; j < space.size(); ++j) {
    s_squared.col(j) = apply_s_squared(space, excitations, HostVector::Unit(space.size(), j));
  }
  std::map<int, int> counts;
  for (const double value : symmetric_eigen(s_squared).values) {
    ++counts[multiplicity(value, 0).value_or(0)];
  }
  EXPECT_EQ(counts, (std::map<int, int>{{1, 20}, {3, 15}, {5, 1}}));
}

TEST(Spin, MultiplicityIsGivenOnlyWhereItIsOne) {
  EXPECT_EQ(multiplicity(0.0, 0), 1);
  EXPECT_EQ(multiplicity(-1e-14, 0), 1);
  EXPECT_EQ(multiplicity(2.0009, 0), 3);
  EXPECT_EQ(multiplicity(2.0, -2), 3);
  EXPECT_EQ(multiplicity(0.75, 1), 2);
  EXPECT_EQ(multiplicity(3.75, 1), 4);
  EXPECT_EQ(multiplicity(6.0, 2), 5);
  EXPECT_EQ(multiplicity(2.0011, 0), std::nullopt);
  EXPECT_EQ(multiplicity(1.0, 0), std::nullopt);
  EXPECT_EQ(multiplicity(0.75, 0), std::nullopt);  // a doublet of an even number of electrons
  EXPECT_EQ(multiplicity(0.0, 2), std::nullopt);   // S < M_s
  EXPECT_EQ(multiplicity(std::nan(""), 0), std::nullopt);
}

TEST(Density, AgreesWithSecondQuantisation) {
  for (const CiSpace& space : spaces()) {
    const HostVector x = random_state(space);
    const HostMatrix density =
        spin_summed(space_one_densities(space, make_pair_excitations(space), x, x));
    for (int p = 0; p < 5; ++p) {
      for (int q = 0; q < 5; ++q) {
        EXPECT_NEAR(density(p, q), x.dot(slow_density_operator(space, p, q) * x), 1e-13);
      }
    }
    const auto occupations = natural_occupations(density);
    EXPECT_TRUE(std::ranges::is_sorted(occupations, std::ranges::greater()));
    EXPECT_LE(occupations.front(), 2.0 + 1e-13);
    EXPECT_GE(occupations.back(), -1e-13);
    EXPECT_NEAR(std::accumulate(occupations.begin(), occupations.end(), 0.0),
                space.alpha.electrons + space.beta.electrons, 1e-12);
  }
}

TEST(RankWeights, SumTheSquaresByRank) {
  for (const CiSpace& space : spaces()) {
    const HostVector x = random_state(space);
    std::vector<double> expected(11, 0.0);
    int highest = 0;
    const auto all = determinants(space);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int rank = excitation_rank(all[i], space.reference());
      expected[rank] += x[static_cast<Eigen::Index>(i)] * x[static_cast<Eigen::Index>(i)];
      highest = std::max(highest, rank);
    }
    const auto weights = rank_weights(space, x);
    ASSERT_EQ(static_cast<int>(weights.size()), highest + 1);
    for (std::size_t r = 0; r < weights.size(); ++r) EXPECT_NEAR(weights[r], expected[r], 1e-14);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-13);
  }
}

class Survey : public ::testing::TestWithParam<std::string> {};

TEST_P(Survey, OfFunctionsIsThatOfTheirDeterminants) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const auto& [ms2, parity] :
       {std::pair{0, Parity::even}, {0, Parity::odd}, {2, Parity::none}}) {
    const Integrals integrals = random_integrals(6, 6, ms2, false, 7, {0, 1, 2, 3, 0, 1});
    CiSpace space = make_ci_space(integrals, {});
    for (const OrbitalString beta_reference : {space.beta.reference, 0b111000_string}) {
      space.alpha.reference = 0b000111_string;
      space.beta.reference = beta_reference;
      const DirectTables tables(integrals, space, parity);
      std::srand(3);
      const HostVector x = HostVector::Random(tables.rows.size()).normalized();
      const HostVector determinants = tables.rows.to_space(x);
      HostVector c(tables.layout.size());
      tables.rows.to_layout(x.data(), 1, c.data());
      const Buffer<double> on_backend = Buffer<double>::from_host(backend, c);
      const auto survey = make_determinant_survey(tables.layout, backend);
      const auto ranks = rank_weights(tables, *survey, on_backend.data());
      const auto expected = rank_weights(space, determinants);
      ASSERT_EQ(ranks.size(), expected.size());
      for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_NEAR(ranks[r], expected[r], 1e-14);
      MultiVector rows(backend, static_cast<Index>(x.size()), 1);
      backend.upload(x, rows.view());
      const auto irreps = irrep_weights(tables, rows.view(), backend);
      const auto of_space = irrep_weights(space, integrals, determinants);
      for (int g = 0; g < 8; ++g) EXPECT_NEAR(irreps[g], of_space[g], 1e-14);
      const double least = 0.02;
      std::vector<std::int64_t> places;
      for (const auto& [place, value] : survey->larger_than(on_backend.data(), least)) {
        EXPECT_EQ(value, c[place]);
        places.push_back(place);
      }
      std::vector<std::int64_t> expected_places;
      for (std::int64_t i = 0; i < c.size(); ++i) {
        if (std::abs(c[i]) > least) expected_places.push_back(i);
      }
      EXPECT_EQ(places, expected_places);
      EXPECT_GT(std::ssize(places), c.size() / 100) << "some are wanted";
      EXPECT_LT(std::ssize(places), c.size()) << "not all";
      EXPECT_TRUE(survey->larger_than(on_backend.data(), 2.0).empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Survey, ::testing::Values("cpu", "cuda"));

TEST(Weights, HaveTheSameBitsWithAnyNumberOfThreads) {
  const Integrals integrals = random_integrals(8, 7, 1, false, 7, {0, 1, 2, 3, 0, 1, 2, 3});
  const CiSpace space = make_ci_space(integrals, {});
  const HostVector x = random_state(space);
  std::vector<std::vector<double>> ranks;
  std::vector<std::array<double, 8>> irreps;
  for (const int threads : {1, 2, 5}) {
    const testing::Threads these(threads);
    ranks.push_back(rank_weights(space, x));
    irreps.push_back(irrep_weights(space, integrals, x));
  }
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(ranks[i], ranks[0]);
    EXPECT_EQ(irreps[i], irreps[0]);
  }
}

TEST(IrrepWeights, SumTheSquaresByIrrep) {
  const Integrals integrals = random_integrals(5, 5, 1, false, 7, {0, 1, 2, 3, 0});
  for (const int rank : {2, 8}) {
    const CiSpace space = make_ci_space(integrals, {rank, {}});
    const HostVector x = random_state(space);
    std::array<double, 8> expected{};
    const auto all = determinants(space);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double c = x[static_cast<Eigen::Index>(i)];
      expected[*irrep_of(all[i], integrals)] += c * c;
    }
    const auto weights = irrep_weights(space, integrals, x);
    for (int g = 0; g < 8; ++g) EXPECT_NEAR(weights[g], expected[g], 1e-14);
    EXPECT_LT(weights[0], 0.9) << "a mixture is wanted";
  }
}

TEST(CiSpace, KnowsItsDeterminantsByNumber) {
  for (const CiSpace& space : spaces()) {
    const auto all = determinants(space);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(space.determinant(static_cast<std::int64_t>(i)), all[i]);
      EXPECT_TRUE(space.holds(all[i]));
    }
    const bool holds_reference = std::ranges::find(all, space.reference()) != all.end();
    EXPECT_EQ(space.holds(space.reference()), holds_reference);
  }
}

TEST(DeterminantEnergy, IsTheDiagonalElement) {
  const Integrals integrals = random_integrals(4, 5, 1, true, 2);
  const HostMatrix dense = SlowHamiltonian(integrals).over(make_ci_space(integrals, {}));
  const auto all = determinants(make_ci_space(integrals, {}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(determinant_energy(integrals, all[i]), dense(row, row), 1e-13);
  }
}

TEST(DeterminantLabels, ShowOccupationsAndExcitations) {
  const DeterminantLabels all(5, {}, {});
  const Determinant reference{0b00111_string, 0b00011_string};
  EXPECT_EQ(all.occupation(reference), "22a00");
  EXPECT_EQ(all.excitation(reference, reference), "reference");
  EXPECT_EQ(all.occupation({0b01101_string, 0b10001_string}), "20aab");
  EXPECT_EQ(all.excitation({0b01101_string, 0b10001_string}, reference), "2a 2b -> 4a 5b");
  EXPECT_EQ(all.excitation({0b00111_string, 0b00101_string}, reference), "2b -> 3b");
}

TEST(DeterminantLabels, CountOrbitalsAsTheFileDoes) {
  // Seven orbitals: the second is frozen, 3, 4 and 6 are active.
  const DeterminantLabels labels(7, {1}, {5, 2, 3});
  const Determinant reference{0b011_string, 0b001_string};
  EXPECT_EQ(labels.occupation(reference), "022a000");
  EXPECT_EQ(labels.excitation({0b110_string, 0b001_string}, reference), "3a -> 6a");
}

TEST(LeadingRows, FallInMagnitudeAndEqualOnesAscendByRow) {
  HostVector x(6);
  x << 0.1, -0.6, 0.6 * (1 + 1e-5), 0.0009, 0.6 * (1 + 1e-3), -0.3;
  const auto rows_of = [&](int count) {
    std::vector<Index> rows;
    for (const LeadingRow& row : leading_rows(x, count)) rows.push_back(row.row);
    return rows;
  };
  EXPECT_EQ(rows_of(1000), (std::vector<Index>{4, 1, 2, 5, 0}));
  EXPECT_EQ(rows_of(2), (std::vector<Index>{4, 1}));
  EXPECT_EQ(rows_of(0), std::vector<Index>());
  EXPECT_EQ(leading_rows(x, 2)[1].coefficient, -0.6);
}

TEST(LeadingDeterminants, HaveNumbersBeyondThoseOf32Bits) {
  constexpr std::int64_t strings = 48620;  // nine electrons in eighteen orbitals
  const Integrals integrals = random_integrals(18, 18, 0, false, 7);
  CiSpaceOptions options;
  options.most *= 2;
  const CiSpace space = make_ci_space(integrals, options);
  ASSERT_EQ(space.size(), strings * strings);
  const DirectLayout layout(orbital_labels(integrals), space);
  constexpr std::int64_t last = strings - 1;
  const double off_diagonal = -0.8 * std::sqrt(0.5);
  const auto found = leading_determinants(layout,
                                          {{0, 0.2},
                                           {last * strings - 1, off_diagonal},
                                           {last * strings + last - 1, off_diagonal},
                                           {last * strings + last, -0.5}},
                                          4);
  std::vector<std::int64_t> numbers;
  for (const LeadingRow& row : found) numbers.push_back(row.row);
  EXPECT_EQ(numbers,
            (std::vector<std::int64_t>{(last - 1) * strings + last, last * strings + last - 1,
                                       last * strings + last, 0}));
  EXPECT_NEAR(found[0].coefficient, 0.8 * std::sqrt(0.5), 1e-15);
  EXPECT_EQ(found[2].coefficient, 0.5);
  EXPECT_EQ(found[3].coefficient, -0.2);
  const Determinant determinant = space.determinant(found[0].row);
  EXPECT_EQ(determinant[alpha], space.alpha.strings[last - 1]);
  EXPECT_EQ(determinant[beta], space.beta.strings[last]);
}

}  // namespace
}  // namespace cisolve
