#include "solvers/eigen/lower/lanczos_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

/// Steps of Lanczos with full orthogonalisation, from a vector.
LanczosBound lanczos(const HostMatrix& a, HostVector v, int steps) {
  LanczosBound bound;
  HostMatrix basis(a.rows(), 0);
  v.normalize();
  for (int j = 0; j < steps; ++j) {
    basis.conservativeResize(Eigen::NoChange, j + 1);
    basis.col(j) = v;
    HostVector w = a * v;
    const double alpha = v.dot(w);
    for (int pass = 0; pass < 2; ++pass) w -= basis * (basis.transpose() * w).eval();
    const double beta = w.norm() > 1e-12 ? w.norm() : 0.0;
    bound.append(alpha, beta);
    if (beta == 0.0) break;
    v = w / beta;
  }
  return bound;
}

HostMatrix symmetric(Index n, unsigned seed) {
  const HostMatrix a = testing::random_block(n, n, seed);
  return a + a.transpose();
}

TEST(LanczosBound, bounds_the_start_vectors_part_along_every_eigenvector_not_yet_shown) {
  const HostMatrix a = symmetric(60, 1);
  const SymmetricEigen eigen = symmetric_eigen(a);
  int bounded = 0;
  for (int seed = 2; seed < 6; ++seed) {
    HostVector v = testing::random_block(60, 1, seed).col(0).normalized();
    for (const int steps : {1, 3, 10, 25}) {
      const LanczosBound bound = lanczos(a, v, steps);
      const double part = eigen.vectors.col(0).dot(v);
      const auto sum = bound.log_sum(eigen.values[0]);
      if (!sum) continue;  // shown to the last bit
      ++bounded;
      EXPECT_LE(std::log(part * part) + *sum, 1e-6) << steps;
      // It is a bound that means something: close to one once the state is the nearest.
      if (steps == 25) {
        EXPECT_GE(std::log(part * part) + *sum, -3.0);
      }
    }
  }
  EXPECT_GE(bounded, 12);
}

TEST(LanczosBound, tells_a_value_above_the_lowest_ritz_value_from_one_below) {
  const HostMatrix a = symmetric(40, 1);
  const LanczosBound bound = lanczos(a, testing::random_block(40, 1, 3).col(0), 12);
  const double lowest = bound.lowest().value;
  EXPECT_FALSE(bound.log_sum(lowest + 1e-6));
  EXPECT_TRUE(bound.log_sum(lowest - 1e-6));
  EXPECT_GT(*bound.log_sum(lowest - 2.0), *bound.log_sum(lowest - 1.0));
}

TEST(LanczosBound, excludes_no_more_than_the_sum_allows) {
  // Eigenvalues 1 … 50: nothing at or below 0.
  const HostMatrix a = HostVector::LinSpaced(50, 1.0, 50.0).asDiagonal();
  const double needed = LanczosBound::needed(50, 1e-6);
  double before = std::numeric_limits<double>::infinity();
  for (const int steps : {2, 6, 12, 20, 40}) {
    const LanczosBound bound = lanczos(a, testing::random_block(50, 1, 7).col(0), steps);
    const double excluded = bound.excluded_below(needed);
    EXPECT_LE(excluded, before);
    if (excluded > 0.0) {
      EXPECT_NEAR(*bound.log_sum(-excluded), needed, 1e-6);
    } else {
      EXPECT_GE(*bound.log_sum(0.0), needed);
    }
    before = excluded;
  }
  EXPECT_EQ(before, 0.0);
}

TEST(LanczosBound, knows_all_once_the_krylov_space_is_whole) {
  const HostMatrix a = HostVector::LinSpaced(4, 1.0, 4.0).asDiagonal();
  const LanczosBound bound = lanczos(a, HostVector::Ones(4), 10);
  EXPECT_EQ(bound.steps(), 4);
  EXPECT_EQ(*bound.log_sum(0.0), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(bound.log_sum(1.5));
}

TEST(LanczosBound, asks_for_what_a_random_direction_has_with_the_probability_given) {
  constexpr int dimensions = 20, draws = 20000;
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  for (const double probability : {0.3, 0.1, 0.03}) {
    const double least = std::exp(-LanczosBound::needed(dimensions, probability));
    int below = 0;
    for (int i = 0; i < draws; ++i) {
      const HostVector v = HostVector::NullaryExpr(dimensions, [&] { return normal(engine); });
      below += v[0] * v[0] < least * v.squaredNorm() ? 1 : 0;
    }
    const double share = static_cast<double>(below) / draws;
    EXPECT_LE(share, probability * 1.1);
    EXPECT_GE(share, probability * 0.8);
  }
}

TEST(LanczosBound, foresees_how_many_steps_are_needed) {
  const HostMatrix a = HostVector::LinSpaced(2000, 1.0, 50.0).asDiagonal();
  const double needed = LanczosBound::needed(2000, 1e-6);
  const HostVector v = testing::random_block(2000, 1, 5).col(0);
  int steps = 1;
  while (*lanczos(a, v, steps).log_sum(0.0) < needed) ++steps;
  EXPECT_NEAR(lanczos(a, v, steps / 2).steps_needed(needed), steps, 0.25 * steps);
  EXPECT_EQ(lanczos(a, v, steps).steps_needed(needed), steps);
}

}  // namespace
}  // namespace cisolve
