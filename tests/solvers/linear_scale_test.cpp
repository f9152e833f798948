// Units do not matter to the linear solvers: 2^s A and 2^t b give 2^(t - s) times the same bits,
// after as many products and with the same words.

#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "tests/support/linear_systems.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

class LinearScale : public Linear {
 protected:
  /// A 2^s, σ 2^s and b 2^t of a system, for every s and t, beside what they give for s = t = 0.
  void expect_same(Backend& backend, const HostMatrix& a, const HostMatrix& b,
                   const LinearOptions& options, Index block_size = 0) const {
    const Solved one = scaled(backend, a, b, options, 0, 0, block_size);
    for (const auto& [s, t] : {std::pair{-50, 0},
                               {50, 0},
                               {-1, 0},
                               {0, -50},
                               {0, 49},
                               {31, -17},
                               {-43, 50},
                               {7, -600},
                               {-3, 600},
                               {-300, 3},
                               {301, -2}}) {
      SCOPED_TRACE("s " + std::to_string(s) + ", t " + std::to_string(t));
      const Solved other = scaled(backend, a, b, options, s, t, block_size);
      const auto back = [e = s - t](double x) { return std::ldexp(x, e); };
      EXPECT_EQ(HostMatrix(other.x.unaryExpr(back)), one.x);
      const LinearResult &found = other.result, &expected = one.result;
      EXPECT_EQ(found.status, expected.status);
      EXPECT_EQ(found.method, expected.method);
      EXPECT_EQ(found.iterations, expected.iterations);
      EXPECT_EQ(found.operator_applications, expected.operator_applications);
      EXPECT_EQ(found.history, expected.history);
      EXPECT_EQ(found.relative_residuals, expected.relative_residuals);
      EXPECT_EQ(std::ldexp(found.residual_norm, -t), expected.residual_norm);
      EXPECT_EQ(found.omega, expected.omega);
      EXPECT_EQ(found.system, expected.system);
      EXPECT_EQ(found.notes, expected.notes);
      ASSERT_EQ(found.forecasts.size(), expected.forecasts.size());
      for (std::size_t i = 0; i < found.forecasts.size(); ++i) {
        EXPECT_EQ(found.forecasts[i].iterations, expected.forecasts[i].iterations);
      }
    }
  }

 private:
  Solved scaled(Backend& backend, const HostMatrix& a, const HostMatrix& b, LinearOptions options,
                int s, int t, Index block_size) const {
    const HostMatrix scaled_a = std::ldexp(1.0, s) * a, scaled_b = std::ldexp(1.0, t) * b;
    options.shift = std::ldexp(options.shift, s);
    options.absolute_tolerance = std::ldexp(options.absolute_tolerance, t);
    DiagonalBlocks blocks;
    if (block_size > 0) blocks.matrix = diagonal_blocks(from_dense(scaled_a), block_size);
    options.blocks = &blocks;
    return solve(backend, from_dense(scaled_a), scaled_b, options);
  }
};

TEST_P(LinearScale, of_definite_systems_does_not_matter_to_any_method) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a = to_dense(dominant_matrix(60, 1.1, 1, true));
  HostMatrix b = random_block(60, 2, 2);
  b.col(1) *= 1e-3;
  LinearOptions options;
  options.symmetric = true;
  options.shift = -0.3;
  for (const LinearMethod method : every_method) {
    SCOPED_TRACE(to_string(method));
    options.method = method;
    options.forecast = false;
    expect_same(backend, a, b, options);
    expect_same(backend, -a, b, options);
    options.forecast = true;
    expect_same(backend, a, b, options);
  }
  options.method = LinearMethod::block_jacobi;
  expect_same(backend, a, b, options, 7);
}

TEST_P(LinearScale, of_other_systems_does_not_matter) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix b = random_block(60, 1, 3), other = to_dense(dominant_matrix(60, 1.2, 4, false));
  const HostMatrix indefinite = to_dense(ci_like_matrix(60, 6, 5));
  LinearOptions options;
  for (const LinearMethod method : of_any_matrix) {
    options.method = method;
    expect_same(backend, other, b, options);
  }
  options.method = LinearMethod::block_jacobi;
  expect_same(backend, other, b, options, 9);
  options.symmetric = true;
  options.method = LinearMethod::automatic;
  for (const bool forecast : {false, true}) {
    options.forecast = forecast;
    expect_same(backend, indefinite, b, options);
    expect_same(backend, laplacian(60, false), HostMatrix::Ones(60, 1), options);
    expect_same(backend, laplacian(60, true), b, options);
  }
  HostMatrix zero = indefinite;
  zero(7, 7) = 0.0;
  expect_same(backend, zero, b, options);
  zero.diagonal().setZero();
  expect_same(backend, zero, b, options);
  options.absolute_tolerance = 1e-3;
  expect_same(backend, indefinite, b, options);
}

TEST_P(LinearScale, solutions_that_doubles_do_not_hold_are_refused) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a{{2.0, 1.0}, {1.0, 2.0}}, b = HostMatrix::Ones(2, 1);
  LinearOptions options;
  options.symmetric = true;
  EXPECT_THROW(solve(backend, from_dense(1e-200 * a), 1e200 * b, options), InputError);
  EXPECT_THROW(solve(backend, from_dense(1e70 * a), 1e-250 * b, options), InputError);
  EXPECT_EQ(solve(backend, from_dense(1e200 * a), 1e200 * b, options).result.status,
            SolveStatus::converged);
  // x is (1e-288, 1e-335).
  const HostMatrix far{{1e38, 0.0}, {0.0, 1e85}};
  EXPECT_THROW(solve(backend, from_dense(far), 1e-250 * b, options), InputError);
  EXPECT_EQ(solve(backend, from_dense(far), 1e-150 * b, options).result.status,
            SolveStatus::converged);
}

TEST_P(LinearScale, a_start_that_dwarfs_the_solution_is_left_out) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(60, 1.1, 1, true);
  const HostMatrix b = 1e-160 * random_block(60, 1, 2);
  LinearOptions options;
  options.symmetric = true;
  for (const LinearMethod method : every_method) {
    SCOPED_TRACE(to_string(method));
    options.method = method;
    const Solved from_zero = solve(backend, a, b, options);
    const Solved from_ones = solve(backend, a, b, options, HostMatrix::Ones(60, 1));
    EXPECT_EQ(from_ones.result.status, SolveStatus::converged);
    EXPECT_EQ(from_ones.x, from_zero.x);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinearScale, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
