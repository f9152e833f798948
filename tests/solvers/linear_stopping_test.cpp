// Ends of linear solvers that do not solve, and their refusals.

#include <limits>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "tests/support/linear_systems.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

class LinearStopping : public Linear {};

TEST_P(LinearStopping, refuses_a_right_hand_side_that_is_not_finite) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = from_dense(HostMatrix{{2, 0}, {0, 3}});
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  for (const double element : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(solve(backend, a, HostMatrix{{1.0}, {element}}, options), InputError);
  }
}

TEST_P(LinearStopping, stops_as_diverged_and_returns_its_best) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 0.3, 5, true);
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  const Solved solved = solve(backend, a, random_block(100, 1, 6), options);
  EXPECT_EQ(solved.result.status, SolveStatus::diverged);
  EXPECT_LE(solved.result.iterations, 200);
  EXPECT_LE(solved.result.relative_residual, 1.0) << "no worse than the start";
  EXPECT_TRUE(solved.x.allFinite());
}

TEST_P(LinearStopping, a_tolerance_beyond_rounding_stagnates) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.05, 18, true);
  for (const LinearMethod method : {LinearMethod::chebyshev_jacobi, LinearMethod::cg}) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    options.symmetric = true;
    options.tolerance = 1e-19;
    const Solved solved = solve(backend, a, random_block(100, 1, 19), options);
    EXPECT_EQ(solved.result.status, SolveStatus::stagnated);
    EXPECT_LE(solved.result.relative_residual, 1e-14);
  }
}

TEST_P(LinearStopping, the_absolute_tolerance_suffices) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.2, 20, true);
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  options.absolute_tolerance = 1e-2;
  const Solved solved = solve(backend, a, random_block(100, 1, 21), options);
  EXPECT_EQ(solved.result.status, SolveStatus::converged);
  EXPECT_LE(solved.result.residual_norm, 1e-2);
  EXPECT_GT(solved.result.relative_residual, 1e-6);
}

TEST_P(LinearStopping, reports_iterations_it_did_not_have) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.05, 7, true);
  const HostMatrix b = random_block(100, 1, 8);
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  options.max_iterations = 3;
  for (const LinearMethod method : {LinearMethod::jacobi, LinearMethod::bicgstab}) {
    options.method = method;
    int calls = 0;
    const Solved solved = solve(backend, a, b, options, {}, [&](const LinearIteration& i) {
      EXPECT_EQ(i.iteration, calls++);
      return true;
    });
    EXPECT_EQ(solved.result.status, SolveStatus::max_iterations);
    EXPECT_EQ(solved.result.iterations, 3);
    EXPECT_EQ(calls, 4);
  }
  EXPECT_EQ(
      solve(backend, a, b, {}, {}, [](const LinearIteration&) { return false; }).result.status,
      SolveStatus::cancelled);
}

TEST_P(LinearStopping, a_long_history_is_thinned) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(10, 1.2, 22, true);
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  options.omega = 1e-6;
  options.max_iterations = 9000;
  const Solved solved = solve(backend, a, random_block(10, 1, 23), options);
  EXPECT_EQ(solved.result.iterations, 9000);
  EXPECT_EQ(solved.result.history_every, 4);
  EXPECT_EQ(std::ssize(solved.result.history), 9000 / 4 + 1);
}

TEST_P(LinearStopping, a_matrix_that_is_not_finite_ends_as_diverged) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix dense = to_dense(dominant_matrix(50, 1.2, 24, true));
  dense(3, 7) = dense(7, 3) = std::numeric_limits<double>::quiet_NaN();
  const CsrMatrix a = from_dense(dense);
  for (const LinearMethod method : every_method) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    options.symmetric = true;
    const Solved solved = solve(backend, a, random_block(50, 1, 25), options);
    EXPECT_EQ(solved.result.status, SolveStatus::diverged);
    EXPECT_LE(solved.result.iterations, 1);
    EXPECT_FALSE(solved.result.spectrum.has_value());
    EXPECT_TRUE(solved.x.isZero()) << "the start";
  }
}

TEST_P(LinearStopping, returns_an_iterate_near_the_best_of_each_column) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // One column has a large part that falls by half an iteration, and a small one that grows; the
  // other starts at its solution.
  HostMatrix coupled = HostVector{{1.0, 3.0, 6.0, 1.0, 1.0}}.asDiagonal();
  coupled(0, 2) = coupled(2, 0) = 3.0;
  coupled(3, 4) = coupled(4, 3) = 0.5;
  const CsrMatrix a = from_dense(coupled);
  HostMatrix b(5, 2);
  b.col(0) << 1e-4, 0.0, 0.0, 1.0, 0.0;
  b.col(1) = coupled.col(1);
  HostMatrix x0 = HostMatrix::Zero(5, 2);
  x0(1, 1) = 1.0;
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  std::vector<double> seen;
  const Solved solved = solve(backend, a, b, options, x0, [&](const LinearIteration& i) {
    seen.push_back(i.relative_residual);
    return true;
  });
  EXPECT_EQ(solved.result.status, SolveStatus::diverged);
  EXPECT_EQ(solved.result.residual_norms[1], 0.0);
  EXPECT_LE(solved.result.relative_residual, 2.0 * *std::ranges::min_element(seen));
  EXPECT_LE(solved.result.relative_residual, 1e-2);
}

TEST_P(LinearStopping, refuses_a_zero_or_nan_diagonal_naming_its_row) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const auto refusal = [&](const HostMatrix& a, LinearMethod method, double shift) {
    LinearOptions options;
    options.method = method;
    options.shift = shift;
    try {
      solve(backend, from_dense(a), HostMatrix::Ones(2, 1), options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const HostMatrix zero{{1, 2}, {3, 0}}, nan{{1, 2}, {3, std::nan("")}};
  EXPECT_NE(refusal(zero, LinearMethod::jacobi, 0.0).find("row 2"), std::string::npos);
  EXPECT_NE(refusal(zero, LinearMethod::jacobi, 1.0).find("row 1"), std::string::npos);
  for (const LinearMethod method : of_any_matrix) {
    EXPECT_NE(refusal(nan, method, 0.0).find("row 2"), std::string::npos);
    EXPECT_EQ(refusal(zero, method, 0.5), "accepted");
  }
}

TEST_P(LinearStopping, refuses_a_rectangular_matrix_other_shapes_and_a_wild_omega) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const auto wide = operator_on(GetParam(), backend, "csr", from_dense(HostMatrix{{1, 2}}));
  const auto b = on(backend, HostMatrix::Ones(1, 1));
  auto x = on(backend, HostMatrix::Zero(2, 1));
  EXPECT_THROW(solve_linear(*wide, backend, b.view(), x.view(), {}), InputError);
  const CsrMatrix square = from_dense(HostMatrix{{1}});
  EXPECT_THROW(solve(backend, square, HostMatrix::Ones(1, 2), {}, HostMatrix::Zero(1, 1)),
               InputError);
  for (const double omega : {2.0, -1.0, std::nan("")}) {
    LinearOptions options;
    options.method = LinearMethod::jacobi;
    options.omega = omega;
    EXPECT_THROW(solve(backend, square, HostMatrix::Ones(1, 1), options), InputError) << omega;
  }
}
INSTANTIATE_TEST_SUITE_P(All, LinearStopping, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
