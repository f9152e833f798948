// Selection and second-order correction, against all elements of the matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/threads/thread_count.hpp"
#include "hamiltonian/select/correction.hpp"
#include "hamiltonian/select/external_sums.hpp"
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

constexpr std::size_t ample = std::size_t{1} << 30;  ///< bytes

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

class OfIntegrals : public ::testing::TestWithParam<std::tuple<RandomCase, std::string>> {
 protected:
  static Listing listing(double share) {
    return listing_of(integrals_of(std::get<0>(GetParam())), 2, share);
  }
  static const std::string& backend_name() { return std::get<1>(GetParam()); }
};

TEST_P(OfIntegrals, CorrectionIsTheSumOverAllOthers) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const Listing listing = OfIntegrals::listing(0.2);
  const std::vector<double> expected = correction_by_elements(listing);
  for (const std::size_t bytes : {std::size_t{1} << 30, std::size_t{1} << 12}) {
    const Correction made =
        second_order_correction(listing.expansion(), {}, {backend, bytes, ample});
    EXPECT_EQ(made.summed, made.targets);
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(made.energies[j], expected[j], 1e-12 * std::abs(expected[j]));
      EXPECT_EQ(made.deviations[j], 0.0);
    }
  }
}

TEST_P(OfIntegrals, SelectionIsByTheLargestElement) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const Listing listing = OfIntegrals::listing(0.1);
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
  const auto expect_the_first = [&](const CandidateSearch& search, std::size_t count) {
    ASSERT_TRUE(search.found);
    EXPECT_EQ(search.all, expected);
    ASSERT_EQ(search.found->size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto place =
          std::ranges::find(*search.found, all[i].determinant, &Candidate::determinant);
      ASSERT_NE(place, search.found->end());
      EXPECT_NEAR(place->importance, all[i].importance, 1e-13);
    }
  };
  const auto search = [&](std::size_t wanted, std::size_t most) {
    return important_candidates(listing.expansion(), {epsilon, wanted, most},
                                {backend, ample, ample});
  };
  const CandidateSearch whole = search(expected, 1 << 20);
  expect_the_first(whole, expected);
  EXPECT_EQ(whole.epsilon, epsilon);
  std::size_t some = expected / 2;
  while (all[some].importance > 0.999 * all[some - 1].importance) ++some;
  // What is as important as the last one comes with it.
  const bool alike = all[some - 1].importance > (1.0 - 1e-12) * all[some - 2].importance;
  const std::size_t fewer = alike ? some - 1 : some;
  const CandidateSearch part = search(fewer, expected);
  expect_the_first(part, some);
  EXPECT_NEAR(part.epsilon, all[fewer - 1].importance, 1e-13);
  const CandidateSearch many = search(expected, expected - 1);
  EXPECT_FALSE(many.found);
  EXPECT_FALSE(many.cancelled);
}

INSTANTIATE_TEST_SUITE_P(Select, OfIntegrals,
                         ::testing::Combine(::testing::Values(RandomCase{6, 6, 0, false, 1},
                                                              RandomCase{6, 5, 1, false, 1},
                                                              RandomCase{6, 6, 2, true, 1},
                                                              RandomCase{7, 6, 0, false, 4},
                                                              RandomCase{7, 3, 3, false, 1}),
                                            ::testing::Values("cpu", "cuda")));

/// Also over more orbitals than a word has bits.
TEST(Selection, IsTheSameOnAGpuBitForBit) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const RandomCase& one : {RandomCase{8, 8, 0, false, 1}, RandomCase{9, 6, 2, true, 1},
                                RandomCase{66, 2, 0, false, 1}}) {
    const Listing listing = listing_of(integrals_of(one), 2, 0.05);
    for (const std::size_t wanted : {std::size_t{300}, std::size_t{1} << 30}) {
      const CandidateBounds bounds{0.02, wanted, 1 << 24};
      CandidateSearch here = important_candidates_cpu(listing.expansion(), bounds, {});
      CandidateSearch there = important_candidates_cuda(listing.expansion(), bounds, backend, {});
      ASSERT_TRUE(here.found && there.found);
      EXPECT_GT(here.all, 1000u);
      EXPECT_EQ(here.all, there.all);
      EXPECT_EQ(here.epsilon, there.epsilon);
      std::ranges::sort(*here.found, {}, &Candidate::determinant);
      std::ranges::sort(*there.found, {}, &Candidate::determinant);
      ASSERT_EQ(here.found->size(), there.found->size());
      for (std::size_t i = 0; i < here.found->size(); ++i) {
        ASSERT_EQ((*here.found)[i].determinant, (*there.found)[i].determinant);
        ASSERT_EQ((*here.found)[i].importance, (*there.found)[i].importance);
      }
    }
  }
}

TEST(Selection, OnAGpuEndsWhereItIsCancelledOrFindsTooMany) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  const Listing listing = listing_of(random_integrals(8, 8, 0, false, 3), 1, 0.1);
  const auto search = [&](std::size_t most, const GoesOn& goes_on) {
    return important_candidates_cuda(listing.expansion(), {0.02, 100, most}, backend, goes_on);
  };
  const std::size_t all = search(1 << 20, {}).all;
  EXPECT_GT(all, 1000u);
  EXPECT_TRUE(search(all, {}).found);
  for (const std::size_t most : {all - 1, all / 2, std::size_t{1}}) {
    const CandidateSearch many = search(most, {});
    EXPECT_FALSE(many.found);
    EXPECT_FALSE(many.cancelled);
  }
  EXPECT_TRUE(search(all, [] { return false; }).cancelled);
}

/// Also in tables so small that beta strings go in classes, and over more orbitals than a word has
/// bits; the same bits each time.
TEST(Selection, SumsOverOthersAreThoseOfTheHost) {
  CISOLVE_BACKEND_OR_SKIP(backend, "cuda");
  for (const RandomCase& one :
       {RandomCase{8, 8, 0, false, 1}, RandomCase{9, 6, 2, true, 1}, RandomCase{66, 2, 0, false, 1},
        RandomCase{14, 8, -6, false, 1}, RandomCase{7, 3, 3, false, 1}}) {
    const Listing listing = listing_of(integrals_of(one), 5, 0.02);
    const Expansion expansion = listing.expansion();
    const TargetStrings strings(listing.integrals, listing.space.alpha, {});
    std::vector<std::int64_t> targets;
    for (std::int64_t i = strings.size() - 1; i >= 0; i -= 2) targets.push_back(i);
    const HostMatrix here = make_external_sums_cpu(expansion, 1 << 30)->sums(strings, targets);
    for (const std::size_t bytes : {std::size_t{1} << 30, std::size_t{1}}) {
      const auto sums = make_external_sums_cuda(expansion, bytes, backend);
      const HostMatrix there = sums->sums(strings, targets);
      ASSERT_EQ(there.rows(), here.rows());
      EXPECT_LE((there - here).cwiseAbs().maxCoeff(), 1e-11 * here.cwiseAbs().maxCoeff());
      EXPECT_EQ((there - sums->sums(strings, targets)).cwiseAbs().maxCoeff(), 0.0);
    }
  }
}

TEST(Selection, EndsWhereItIsCancelled) {
  const Listing listing = listing_of(random_integrals(7, 6, 0, false, 3), 1, 0.1);
  CISOLVE_BACKEND_OR_SKIP(backend, "cpu");
  const Workplace place{backend, 1 << 20, 0};
  EXPECT_FALSE(grown_by_importance(listing.expansion(), 0.05, place).cancelled);
  const auto no = [asked = 0]() mutable { return asked++ > 0; };  // once, as a signal is met
  EXPECT_TRUE(grown_by_importance(listing.expansion(), 0.05, place, no).cancelled);
  const auto size = static_cast<std::size_t>(listing.space.size()) + 20;
  EXPECT_TRUE(grown_to_size(listing.expansion(), size, 0.0, place, no).cancelled);
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
  const auto backend = make_cpu_backend();
  const Workplace place{*backend, ample, 0};
  EXPECT_LT(second_order_correction(expansion, {}, place).coefficients[0], 0.1);
  double lowest = 1e300;
  for (const Determinant& d : listing.outside) {
    lowest = std::min(lowest, matrix_element(listing.integrals, d, d));
  }
  expansion.energies[0] = lowest - 1e-6;
  EXPECT_GT(second_order_correction(expansion, {}, place).coefficients[0], 1.0);
}

TEST(Selection, AndCorrectionAreTheSameWithAnyNumberOfThreads) {
  const Listing listing = listing_of(random_integrals(7, 6, 0, false, 3), 1, 0.1);
  CorrectionOptions options;
  options.target = 1e-3;
  std::vector<double> energies;
  std::vector<std::vector<Candidate>> candidates;
  for (const int threads : {1, 3}) {
    const ThreadCount count(threads);
    const auto backend = make_cpu_backend();
    energies.push_back(
        second_order_correction(listing.expansion(), options, {*backend, ample, 0}).energies[0]);
    candidates.push_back(
        *important_candidates_cpu(listing.expansion(), {0.05, 1 << 20, 1 << 20}, {}).found);
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
