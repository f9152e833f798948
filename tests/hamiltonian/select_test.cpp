// Selection and second-order correction, against all elements of the matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/threads/thread_count.hpp"
#include "hamiltonian/select/correction.hpp"
#include "hamiltonian/select/extrapolation.hpp"
#include "hamiltonian/select/growth.hpp"
#include "hamiltonian/select/selection.hpp"
#include "hamiltonian/space/matrix_element.hpp"
#include "tests/support/determinants/listed_spaces.hpp"
#include "tests/support/determinants/second_quantisation.hpp"
#include "tests/support/integrals/random_integrals.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// Some determinants of all with random coefficients, and those that are left.
struct Listing {
  Integrals integrals;
  ListedSpace space;
  HostMatrix coefficients;
  std::vector<Determinant> outside;

  Expansion expansion() const {
    return {integrals, space, coefficients,
            std::vector<double>(static_cast<std::size_t>(coefficients.cols()), -100.0)};
  }
};

Listing listing_of(Integrals integrals, int states, double share) {
  const CiSpace all = make_ci_space(integrals, {});
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Determinant> listed, outside;
  for (const auto& [a, b] : determinants(all)) {
    (uniform(engine) < 2.0 * share - 1.0 ? listed : outside).push_back({a, b});
  }
  ListedSpace space = testing::listed_space(integrals.orbitals, listed, all.reference());
  HostMatrix c(space.size(), states);
  for (Eigen::Index i = 0; i < c.size(); ++i) c.data()[i] = uniform(engine);
  c.colwise().normalize();
  return {std::move(integrals), std::move(space), std::move(c), std::move(outside)};
}

/// Σ over the outside, of each state.
std::vector<double> correction_by_elements(const Listing& listing) {
  const Expansion e = listing.expansion();
  std::vector<double> sums(e.energies.size(), 0.0);
  for (const Determinant& d : listing.outside) {
    const double energy = matrix_element(listing.integrals, d, d);
    HostVector h = HostVector::Zero(e.states());
    for (std::int64_t row = 0; row < listing.space.size(); ++row) {
      h += matrix_element(listing.integrals, d, listing.space.determinant(row)) *
           listing.coefficients.row(row).transpose();
    }
    for (int j = 0; j < e.states(); ++j) sums[j] += h[j] * h[j] / (e.energies[j] - energy);
  }
  return sums;
}

class OfIntegrals : public ::testing::TestWithParam<RandomCase> {};

TEST_P(OfIntegrals, CorrectionIsTheSumOverAllOthers) {
  const Listing listing = listing_of(integrals_of(GetParam()), 2, 0.2);
  const std::vector<double> expected = correction_by_elements(listing);
  for (const std::size_t bytes : {std::size_t{1} << 30, std::size_t{1} << 12}) {
    CorrectionOptions options;
    options.bytes = bytes;
    const Correction made = second_order_correction(listing.expansion(), options);
    EXPECT_EQ(made.summed, made.targets);
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(made.energies[j], expected[j], 1e-12 * std::abs(expected[j]));
      EXPECT_EQ(made.deviations[j], 0.0);
    }
  }
}

TEST_P(OfIntegrals, SelectionIsByTheLargestElement) {
  const Listing listing = listing_of(integrals_of(GetParam()), 2, 0.1);
  const bool flips = !listing.integrals.unrestricted && listing.integrals.ms2 == 0;
  const auto by_elements = [&](const Determinant& d) {
    double largest = 0.0;
    for (std::int64_t row = 0; row < listing.space.size(); ++row) {
      if (listing.space.determinant(row) == d) continue;
      const double h =
          std::abs(matrix_element(listing.integrals, d, listing.space.determinant(row)));
      largest = std::max(largest, h * listing.coefficients.row(row).cwiseAbs().maxCoeff());
    }
    return largest;
  };
  std::vector<Candidate> all;
  for (const Determinant& d : listing.outside) {
    const double flipped = flips ? by_elements({d[beta], d[alpha]}) : 0.0;
    all.push_back({d, std::max(by_elements(d), flipped)});
  }
  std::ranges::sort(all, std::greater(), &Candidate::importance);
  ASSERT_GT(all.size(), 20u);
  std::size_t expected = all.size() / 3;
  while (all[expected].importance > 0.999 * all[expected - 1].importance) ++expected;
  const double epsilon = 0.5 * (all[expected - 1].importance + all[expected].importance);
  const auto found = important_candidates(listing.expansion(), epsilon, 1 << 20).found;
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), expected);
  for (std::size_t i = 0; i < expected; ++i) {
    const auto place = std::ranges::find(*found, all[i].determinant, &Candidate::determinant);
    ASSERT_NE(place, found->end());
    EXPECT_NEAR(place->importance, all[i].importance, 1e-13);
  }
  const CandidateSearch many = important_candidates(listing.expansion(), epsilon, expected - 1);
  EXPECT_FALSE(many.found);
  EXPECT_FALSE(many.cancelled);
}

INSTANTIATE_TEST_SUITE_P(Select, OfIntegrals,
                         ::testing::Values(RandomCase{6, 6, 0, false, 1},
                                           RandomCase{6, 5, 1, false, 1},
                                           RandomCase{6, 6, 2, true, 1},
                                           RandomCase{7, 6, 0, false, 4},
                                           RandomCase{7, 3, 3, false, 1}));

TEST(Selection, EndsWhereItIsCancelled) {
  const Listing listing = listing_of(random_integrals(7, 6, 0, false, 3), 1, 0.1);
  EXPECT_FALSE(grown_by_importance(listing.expansion(), 0.05, 1 << 20).cancelled);
  const auto no = [asked = 0]() mutable { return asked++ > 0; };  // once, as a signal is met
  EXPECT_TRUE(grown_by_importance(listing.expansion(), 0.05, 1 << 20, no).cancelled);
  const auto size = static_cast<std::size_t>(listing.space.size()) + 20;
  EXPECT_TRUE(grown_to_size(listing.expansion(), size, 0.0, 1 << 20, no).cancelled);
}

TEST(Extrapolation, GoesAlongTheLineOfTheVariationalEnergy) {
  const std::vector<double> corrections{-0.08, -0.04, -0.02, -0.01};
  std::vector<double> energies;
  for (const double e2 : corrections) energies.push_back(-7.5 - 0.8 * e2);
  const auto limit = extrapolated(energies, corrections, 0.0);
  ASSERT_TRUE(limit);
  EXPECT_NEAR(limit->energy, -7.5, 1e-12);
  EXPECT_NEAR(limit->slope, -0.8, 1e-12);
}

TEST(Selection, CorrectionTellsOfLargeCoefficients) {
  const Listing listing = listing_of(random_integrals(6, 6, 0, false, 3), 1, 0.3);
  Expansion expansion = listing.expansion();
  EXPECT_LT(second_order_correction(expansion, {}).coefficients[0], 0.1);
  double lowest = 1e300;
  for (const Determinant& d : listing.outside) {
    lowest = std::min(lowest, matrix_element(listing.integrals, d, d));
  }
  expansion.energies[0] = lowest - 1e-6;
  EXPECT_GT(second_order_correction(expansion, {}).coefficients[0], 1.0);
}

TEST(Selection, AndCorrectionAreTheSameWithAnyNumberOfThreads) {
  const Listing listing = listing_of(random_integrals(7, 6, 0, false, 3), 1, 0.1);
  CorrectionOptions options;
  options.target = 1e-3;
  std::vector<double> energies;
  std::vector<std::vector<Candidate>> candidates;
  for (const int threads : {1, 3}) {
    const ThreadCount count(threads);
    energies.push_back(second_order_correction(listing.expansion(), options).energies[0]);
    candidates.push_back(*important_candidates(listing.expansion(), 0.05, 1 << 20).found);
  }
  EXPECT_EQ(energies[0], energies[1]);
  ASSERT_EQ(candidates[0].size(), candidates[1].size());
  for (std::size_t i = 0; i < candidates[0].size(); ++i) {
    EXPECT_EQ(candidates[0][i].determinant, candidates[1][i].determinant);
    EXPECT_EQ(candidates[0][i].importance, candidates[1][i].importance);
  }
}

}  // namespace
}  // namespace cisolve
