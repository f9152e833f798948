// The search for lower states by itself: given states that are the lowest, or not, and a metric.

#include "solvers/eigen/lower/exclusion_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "tests/support/eigenpairs.hpp"
#include "tests/support/matrices/hard_spectra.hpp"

namespace cisolve {
namespace {

using testing::thorough_options;

/// A matrix, a solver's workspace in which some of its eigenvectors are known, and the search.
class Known {
 public:
  /// `numbers`: of the eigenvectors known, all of one sector; the last `higher` of them are no
  /// states, and random vectors of length `error` are added to those.
  Known(const std::string& backend_name, Backend& on, HostMatrix matrix,
        const std::vector<int>& numbers, int higher = 0, double error = 0.0)
      : backend(on),
        dense(std::move(matrix)),
        eigen(symmetric_eigen(dense)),
        a(testing::from_dense(dense)),
        op(testing::operator_on(backend_name, backend, "csr", a)),
        options(thorough_options()),
        count(static_cast<int>(numbers.size())) {
    options.states = count - higher;
    options.guard = higher;
    p = testing::p_space_of(a, 20);
    work = std::make_unique<Workspace>(*op, backend, p, options);
    HostMatrix x(dense.rows(), count);
    for (int j = 0; j < count; ++j) x.col(j) = eigen.vectors.col(numbers[j]);
    for (int j = count - higher; j < count; ++j) {
      x.col(j) += error * HostVector::Random(x.rows()).normalized();
      const HostMatrix before = x.leftCols(j);
      x.col(j) -= before * (before.transpose() * x.col(j));
      x.col(j).normalize();
    }
    MultiVector t(backend, a.rows, count), at(backend, a.rows, count);
    backend.upload(x, t.view());
    backend.upload(HostMatrix(dense * x), at.view());
    work->search(0).append(t.view(), at.view(), true);
    roots = std::make_unique<Roots>(work->searches, options);
    const char worked = 1;
    roots->choose({&worked, 1});
    vectors = MultiVector(backend, a.rows, count);
  }

  std::unique_ptr<ExclusionSearch> search(double gap) {
    return std::make_unique<ExclusionSearch>(*work, *roots, gap, 1e-6, 1, vectors.view(),
                                             work->new_images.narrowed(count));
  }

  Backend& backend;
  HostMatrix dense;
  SymmetricEigen eigen;
  CsrMatrix a;
  std::unique_ptr<LinearOperator> op;
  EigenOptions options;
  int count;
  PSpace p;
  std::unique_ptr<Workspace> work;
  std::unique_ptr<Roots> roots;
  MultiVector vectors;
};

HostMatrix ci_like(unsigned seed) {
  std::mt19937 engine(seed);
  return testing::hard::ci_like(300, 4, 0.3, engine);
}

bool go_on(const ExclusionProgress&) {
  return true;
}

class ExclusionSearches : public ::testing::TestWithParam<std::string> {};

TEST_P(ExclusionSearches, exclude_lower_states_where_there_are_none) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Known known(GetParam(), backend, ci_like(1), {0, 1, 2});
  const auto search = known.search(1e-3);
  EXPECT_EQ(search->run(go_on), ExclusionSearch::End::excluded);
  EXPECT_EQ(search->excluded_gap(), 1e-3);
  EXPECT_FALSE(search->near());
  EXPECT_EQ(search->found(), std::vector<char>{0});
  EXPECT_EQ(search->progress().products, search->progress().products_needed);
}

TEST_P(ExclusionSearches, leave_out_higher_states_that_are_known) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const auto products = [&](int higher, double error) {
    std::vector<int> numbers{0, 1, 2};
    if (higher > 0) numbers.push_back(3);
    Known known(GetParam(), backend, ci_like(1), numbers, higher, error);
    const auto search = known.search(1e-3);
    EXPECT_EQ(search->run(go_on), ExclusionSearch::End::excluded);
    return search->progress().products;
  };
  const std::int64_t without = products(0, 0.0);
  EXPECT_LT(products(1, 0.0), without);
  EXPECT_LT(products(1, 1e-5), without);
  EXPECT_EQ(products(1, 0.3), without);  // not known well enough
}

TEST_P(ExclusionSearches, find_a_state_beside_higher_ones_that_are_left_out) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const double error : {0.0, 1e-5}) {
    Known known(GetParam(), backend, ci_like(2), {0, 2, 3, 4}, 2, error);
    const auto search = known.search(1e-3);
    EXPECT_EQ(search->run(go_on), ExclusionSearch::End::found) << error;
  }
}

TEST_P(ExclusionSearches, find_a_state_that_was_passed_over) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const int missed : {0, 1, 2}) {
    std::vector<int> numbers;
    for (int j = 0; j < 4; ++j) {
      if (j != missed) numbers.push_back(j);
    }
    Known known(GetParam(), backend, ci_like(2), numbers);
    const auto search = known.search(1e-3);
    ASSERT_EQ(search->run(go_on), ExclusionSearch::End::found) << missed;
    EXPECT_EQ(search->found(), std::vector<char>{1});
    MultiVector t(backend, known.a.rows, 1);
    const auto stop = [](const ExclusionProgress&) { return false; };
    EXPECT_EQ(search->lower_vectors(t.view(), stop), ExclusionSearch::End::stopped);
    EXPECT_EQ(search->lower_vectors(t.view(), go_on), ExclusionSearch::End::found);
    const HostVector x = backend.download(t.view()).col(0).normalized();
    EXPECT_LT(x.dot(known.dense * x), known.eigen.values[3]);
    EXPECT_GT(std::abs(x.dot(known.eigen.vectors.col(missed))), 0.9);
  }
}

TEST_P(ExclusionSearches, say_less_where_they_end_early) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Known known(GetParam(), backend, ci_like(3), {0, 1});
  double before = std::numeric_limits<double>::infinity();
  for (const int steps : {6, 9, 12}) {
    const auto search = known.search(1e-3);
    EXPECT_EQ(search->run([&](const ExclusionProgress& p) { return p.products < 2 * steps; }),
              ExclusionSearch::End::stopped);
    EXPECT_EQ(search->progress().products, 2 * steps);
    EXPECT_GT(search->progress().products_needed, 2 * steps);
    EXPECT_LT(search->excluded_gap(), before);
    before = search->excluded_gap();
  }
  EXPECT_GT(before, 1e-3);
}

TEST_P(ExclusionSearches, count_what_the_last_step_has_shown) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Known known(GetParam(), backend, ci_like(1), {0, 1, 2});
  const auto whole = known.search(1e-3);
  EXPECT_EQ(whole->run(go_on), ExclusionSearch::End::excluded);
  const std::int64_t products = whole->progress().products;
  const auto cut = known.search(1e-3);
  EXPECT_EQ(cut->run([&](const ExclusionProgress& p) { return p.products < products; }),
            ExclusionSearch::End::excluded);
}

TEST_P(ExclusionSearches, name_a_product_that_is_no_number) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Known known(GetParam(), backend, ci_like(1), {0, 1, 2});
  const auto search = known.search(1e-3);
  // The states known, which the search keeps away from, become NaN, and all that follows.
  backend.fill(std::numeric_limits<double>::quiet_NaN(), known.vectors.view());
  EXPECT_EQ(search->run(go_on), ExclusionSearch::End::failed);
}

TEST_P(ExclusionSearches, see_that_a_copy_may_be_near) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // The highest state known has a copy, which does not lie below it.
  HostMatrix a = ci_like(4);
  const SymmetricEigen eigen = symmetric_eigen(a);
  a +=
      (eigen.values[1] - eigen.values[2]) * eigen.vectors.col(2) * eigen.vectors.col(2).transpose();
  Known known(GetParam(), backend, a, {0, 1});
  const auto search = known.search(1e-3);
  EXPECT_EQ(search->run(go_on), ExclusionSearch::End::excluded);
  EXPECT_TRUE(search->near());
}

TEST_P(ExclusionSearches, are_not_kept_busy_by_a_copy_that_was_not_asked_for) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix dense = ci_like(4);
  const SymmetricEigen eigen = symmetric_eigen(dense);
  dense +=
      (eigen.values[1] - eigen.values[2]) * eigen.vectors.col(2) * eigen.vectors.col(2).transpose();
  const CsrMatrix a = testing::from_dense(dense);
  const auto op = testing::operator_on(GetParam(), backend, "csr", a);
  EigenOptions options = thorough_options();
  options.states = 2;
  const EigenResult result = lowest_eigenpairs(*op, backend, testing::p_space_of(a, 20), options);
  EXPECT_TRUE(result.verified);
  // One search saw that nothing is left beside the copy, which was corrected.
  EXPECT_LT(result.exclusion.gap, 0.2 * verified_gap);
  EXPECT_NEAR(result.energies[1], eigen.values[1], 1e-9);
}

TEST_P(ExclusionSearches, measure_by_a_definite_metric) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  Known known(GetParam(), backend, ci_like(5), {0, 1});
  Metric metric(*known.work, known.roots->highest() - 1e-3);
  const Index n = known.a.rows;
  // M^-1 column by column.
  MultiVector t(backend, n, 1);
  HostMatrix inverse(n, n);
  for (Index j = 0; j < n; ++j) {
    backend.upload(HostMatrix(HostVector::Unit(n, j)), t.view());
    metric.divide(0, t.view(), t.view());
    inverse.col(j) = backend.download(t.view()).col(0);
  }
  EXPECT_LE((inverse - inverse.transpose()).norm(), 1e-10 * inverse.norm());
  const HostVector values = symmetric_eigen(inverse).values;
  EXPECT_GE(values[0], 0.999 / metric.largest());
  EXPECT_LE(values[n - 1], 1.001 / metric.smallest());
  // M^½ M^½ M^-1 = 1.
  const HostVector x = HostVector::LinSpaced(n, -1.0, 1.0);
  backend.upload(HostMatrix(x), t.view());
  metric.multiply_by_root(t.view());
  metric.multiply_by_root(t.view());
  metric.divide(0, t.view(), t.view());
  EXPECT_LE((backend.download(t.view()).col(0) - x).norm(), 1e-10 * x.norm());
}

INSTANTIATE_TEST_SUITE_P(Backends, ExclusionSearches, ::testing::ValuesIn(testing::backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
