// Start vectors that lack copies of a level, with P the whole matrix. A search for lower states
// then takes next to no steps, and has to find the copies, nearer than the gap that it promises or
// not.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

struct Pairs {
  HostVector levels;
  HostMatrix vectors;

  HostMatrix matrix() const { return vectors * levels.asDiagonal() * vectors.transpose(); }
};

/// Eight states within a few millihartree, some of them twice, and thirty higher ones.
Pairs crowded(unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0.02, 0.4);
  std::normal_distribution<double> normal;
  std::vector<double> levels{0.0, 0.0, 0.55e-3, 0.55e-3, 0.88e-3, 0.88e-3, 1.2e-3, 8.6e-3};
  while (levels.size() < 38) levels.push_back(uniform(engine));
  std::ranges::sort(levels);
  const auto n = static_cast<Eigen::Index>(levels.size());
  HostMatrix random(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) random(i, j) = normal(engine);
  }
  return {HostVector::Map(levels.data(), n),
          symmetric_eigen(HostMatrix(random + random.transpose())).vectors};
}

class MissedCopies : public Eigensolver {};

TEST_P(MissedCopies, are_found) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Pairs exact = crowded(seed);
    const CsrMatrix a = from_dense(exact.matrix());
    for (const std::vector<int>& known :
         {std::vector{0, 2, 4}, std::vector{0, 1, 2}, std::vector{1, 3, 5}, std::vector{4, 5, 6}}) {
      for (const int starts : {1, 2}) {
        SolverState start;
        start.vectors = static_cast<int>(known.size());
        start.read = [&](int j, HostMatrix& x, HostMatrix&) { x = exact.vectors.col(known[j]); };
        EigenOptions options = thorough_options();
        options.states = 3;
        options.exclusion_starts = starts;
        options.begin_from = &start;
        const EigenResult result = solve(backend, a, p_space_of(a, a.rows), options);
        EXPECT_TRUE(result.verified) << seed << " " << known[0] << known[1] << known[2];
        for (int j = 0; j < 3; ++j) {
          EXPECT_NEAR(result.energies[j], exact.levels[j], 1e-8)
              << seed << " " << known[0] << known[1] << known[2] << " " << starts << " " << j;
        }
      }
    }
  }
}

/// The eigenvalues of P, all that there are, say which states are the lowest.
TEST_P(MissedCopies, need_no_search_where_none_is_missed) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const Pairs exact = crowded(1);
  const CsrMatrix a = from_dense(exact.matrix());
  EigenOptions options = thorough_options();
  options.states = 3;
  const EigenResult whole = solve(backend, a, p_space_of(a, a.rows), options);
  EXPECT_TRUE(whole.verified);
  EXPECT_EQ(whole.probe_applications, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, MissedCopies,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(methods)),
                         name_of_method_test);

}  // namespace
}  // namespace cisolve
