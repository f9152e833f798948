// Jacobi's method over diagonal blocks: contiguous ones and one over the p-space.
#include <Eigen/LU>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/methods.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Strong couplings within blocks of `size` rows, weak ones elsewhere; positive definite.
HostMatrix blocky_matrix(int n, int size, unsigned seed) {
  const HostMatrix random = random_block(n, n, seed);
  HostMatrix a = 0.1 / n * (random + random.transpose());
  for (int first = 0; first < n; first += size) {
    const int count = std::min(size, n - first);
    const HostMatrix within = random_block(count, count, seed + first + 1);
    a.block(first, first, count, count) += within * within.transpose() / count;
  }
  a.diagonal().array() += 0.4;
  return a;
}

DiagonalBlocks contiguous(const HostMatrix& a, Index size) {
  return {diagonal_blocks(from_dense(a), size), {}};
}

DiagonalBlocks over(const HostMatrix& a, const std::vector<Index>& rows) {
  return {principal_submatrix(from_dense(a), rows), rows};
}

struct Solved {
  LinearResult result;
  HostMatrix x;
};

class BlockJacobi : public ::testing::TestWithParam<std::string> {
 protected:
  Solved solve(Backend& backend, const HostMatrix& a, const HostMatrix& b,
               LinearOptions options) const {
    const auto op = operator_on(GetParam(), backend, "csr", from_dense(a));
    const auto device_b = on(backend, b);
    auto x = on(backend, HostMatrix::Zero(b.rows(), b.cols()));
    options.method = LinearMethod::block_jacobi;
    LinearResult result = solve_linear(*op, backend, device_b.view(), x.view(), options);
    return {std::move(result), backend.download(x.view())};
  }
  void expect_solves(Backend& backend, const HostMatrix& a, const HostMatrix& b,
                     const DiagonalBlocks& blocks, LinearOptions options) const {
    options.blocks = &blocks;
    const Solved solved = solve(backend, a, b, options);
    EXPECT_EQ(solved.result.status, SolveStatus::converged);
    HostMatrix s = a;
    s.diagonal().array() -= options.shift;
    const HostMatrix exact = s.fullPivLu().solve(b);
    EXPECT_LE((solved.x - exact).norm(), 1e-7 * exact.norm());
  }
  std::string refusal(Backend& backend, const HostMatrix& a, const DiagonalBlocks* blocks,
                      double shift = 0.0) const {
    LinearOptions options;
    options.blocks = blocks;
    options.shift = shift;
    try {
      solve(backend, a, HostMatrix::Ones(a.rows(), 1), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_P(BlockJacobi, solves_with_blocks_of_any_size_and_over_a_p_space) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a = blocky_matrix(150, 10, 1);
  LinearOptions options;
  options.symmetric = true;
  options.shift = -0.2;
  std::vector<Index> rows(97);
  std::iota(rows.begin(), rows.end(), 31);
  std::ranges::reverse(rows);
  for (const int columns : {1, 3, 9}) {
    const HostMatrix b = random_block(150, columns, 2);
    for (const Index size : {2, 7, 10, 40, 149, 150}) {
      SCOPED_TRACE(size);
      expect_solves(backend, a, b, contiguous(a, size), options);
      expect_solves(backend, -a, b, contiguous(-a, size), options);
    }
    expect_solves(backend, a, b, over(a, rows), options);
    expect_solves(backend, a, b, over(a, {149, 3}), options);
  }
}

TEST_P(BlockJacobi, takes_fewer_iterations_than_the_diagonal_as_forecast) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a = blocky_matrix(200, 10, 3), b = random_block(200, 1, 4);
  const DiagonalBlocks fitting = contiguous(a, 10), whole = contiguous(a, 200);
  LinearOptions options;
  options.symmetric = true;
  options.blocks = &fitting;
  const LinearResult result = solve(backend, a, b, options).result;
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.iterations, 25);
  ASSERT_EQ(result.forecasts.size(), 1u);
  EXPECT_NEAR(result.forecasts[0].iterations.value_or(0), result.iterations,
              0.3 * result.iterations);
  options.blocks = &whole;
  EXPECT_LE(solve(backend, a, b, options).result.iterations, 2) << "a direct solve";

  const auto op = operator_on(GetParam(), backend, "csr", from_dense(a));
  const auto device_b = on(backend, b);
  auto x = on(backend, HostMatrix::Zero(200, 1));
  options.method = LinearMethod::jor;
  const LinearResult jor = solve_linear(*op, backend, device_b.view(), x.view(), options);
  EXPECT_GT(jor.iterations, 2 * result.iterations);
  EXPECT_EQ(jor.forecasts.size(), std::size(linear_method_names) - 2)
      << "every method but auto and block_jacobi";
}

TEST_P(BlockJacobi, takes_matrices_that_are_not_symmetric_and_a_weight) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix a = blocky_matrix(90, 6, 5);
  a.triangularView<Eigen::StrictlyLower>() *= 0.5;
  const HostMatrix b = random_block(90, 2, 6);
  LinearOptions options;
  expect_solves(backend, a, b, contiguous(a, 6), options);
  options.omega = 0.7;
  expect_solves(backend, a, b, contiguous(a, 6), options);
}

TEST_P(BlockJacobi, a_zero_diagonal_within_a_block_is_no_obstacle) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a{{0, 2, 0.1}, {2, 0, 0}, {0.1, 0, 3}};
  const HostMatrix b = random_block(3, 1, 7);
  LinearOptions options;
  options.symmetric = true;
  expect_solves(backend, a, b, contiguous(a, 2), options);
  expect_solves(backend, a, b, over(a, {0, 1}), options);
}

TEST_P(BlockJacobi, an_indefinite_matrix_is_refused_where_the_blocks_are_definite) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix a = HostMatrix::Constant(60, 60, 0.5);
  a.diagonal().setConstant(0.7);
  a.block(0, 30, 30, 30) *= 3.0;
  a.block(30, 0, 30, 30) *= 3.0;
  const DiagonalBlocks blocks = contiguous(a, 5);
  LinearOptions options;
  options.symmetric = true;
  options.blocks = &blocks;
  const Solved solved = solve(backend, a, random_block(60, 1, 8), options);
  EXPECT_EQ(solved.result.status, SolveStatus::indefinite);
  ASSERT_FALSE(solved.result.notes.empty());
  EXPECT_NE(solved.result.notes.back().find("B^-1"), std::string::npos);
}

TEST_P(BlockJacobi, says_what_is_wrong_with_the_blocks) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix a = HostMatrix::Identity(6, 6) * 3.0;
  a.block(2, 2, 2, 2).setOnes();
  EXPECT_NE(refusal(backend, a, nullptr).find("needs diagonal blocks"), std::string::npos);
  const DiagonalBlocks singular = contiguous(a, 2),
                       too_few = contiguous(a.topRows(4).leftCols(4), 2);
  EXPECT_NE(refusal(backend, a, &singular).find("first is row 3 is singular"), std::string::npos)
      << refusal(backend, a, &singular);
  EXPECT_EQ(refusal(backend, a, &singular, 0.5), "accepted");
  EXPECT_NE(refusal(backend, a, &too_few).find("have 4 rows, expected 6"), std::string::npos);
  const DiagonalBlocks over_p = over(a, {5, 2, 3});
  EXPECT_NE(refusal(backend, a, &over_p).find("first is row 6 is singular"), std::string::npos);
  const DiagonalBlocks elsewhere = over(a, {2, 3});
  EXPECT_NE(refusal(backend, a, &elsewhere, 3.0).find("row 1 has the diagonal element 0"),
            std::string::npos);
  HostMatrix of_many_units = HostMatrix::Identity(6, 6);
  of_many_units(1, 1) = 1e17;
  of_many_units.block(3, 3, 2, 2) << 1e-9, 1e-3, 1e-3, 1e8;
  const DiagonalBlocks regular = contiguous(of_many_units, 3);
  EXPECT_EQ(refusal(backend, of_many_units, &regular), "accepted");
  a(2, 2) = std::numeric_limits<double>::quiet_NaN();
  const DiagonalBlocks not_finite = contiguous(a, 2);
  EXPECT_NE(
      refusal(backend, a, &not_finite).find("first is row 3 has an element that is not finite"),
      std::string::npos);
}

TEST(DiagonalBlocks, are_the_same_of_a_whole_matrix_and_of_its_upper_triangle) {
  const HostMatrix a = blocky_matrix(23, 5, 9);
  for (const Index size : {2, 5, 23}) {
    const HostMatrix blocks = diagonal_blocks(from_dense(a), size);
    EXPECT_EQ(blocks, diagonal_blocks(upper_triangle(from_dense(a), "a"), size));
    for (Index i = 0; i < 23; ++i) {
      const Index first = i / size * size, count = std::min<Index>(size, 23 - first);
      EXPECT_EQ(blocks.row(i).head(count), a.row(i).segment(first, count));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockJacobi, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
