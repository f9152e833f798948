// Corrections that divide by A itself over many rows.

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/methods.hpp"
#include "solvers/eigen/steps/inner_solve.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// A over its first `size` rows, with the `states` lowest eigenvectors there.
InnerBlock leading_block(const std::string& name, Backend& backend, const CsrMatrix& a, Index size,
                         int states) {
  const HostMatrix dense = to_dense(a).topLeftCorner(size, size);
  const SymmetricEigen eigen = symmetric_eigen(dense);
  InnerBlock block;
  block.matrix = operator_on(name, backend, "csr", from_dense(dense));
  block.states = eigen.vectors.leftCols(states);
  block.energies.assign(eigen.values.data(), eigen.values.data() + states);
  block.parts.resize(1);
  block.parts[0].rows.resize(size);
  std::iota(block.parts[0].rows.begin(), block.parts[0].rows.end(), 0);
  block.parts[0].factors.assign(size, 1.0);
  return block;
}

class InnerBlockOn : public ::testing::TestWithParam<std::string> {};

TEST_P(InnerBlockOn, SolvesForTheResidualOverItsRows) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  constexpr Index rows = 300, size = 200;
  const CsrMatrix a = ci_like_matrix(rows, 8, 5);
  InnerBlock block = leading_block(GetParam(), backend, a, size, 2);
  // Element d stands for row rows − 1 − d of the whole, with a sign.
  for (Index d = 0; d < size; ++d) {
    block.parts[0].rows[d] = rows - 1 - d;
    block.parts[0].factors[d] = d % 2 == 0 ? 1.0 : -1.0;
  }
  InnerSolve inner(backend, block, block.parts[0], 2);
  const HostMatrix r = random_block(rows, 2, 6);
  MultiVector t(backend, rows, 2);
  backend.upload(r, t.view());
  const std::vector<double> theta{block.energies[0] - 0.05, block.energies[0] - 0.02};
  inner.solve(theta, 1e-2, t.view());
  inner.put(t.view());
  const HostMatrix found = backend.download(t.view());
  EXPECT_EQ((found - r).topRows(rows - size).norm(), 0.0);

  HostMatrix r_s(size, 2), t_s(size, 2);
  for (Index d = 0; d < size; ++d) {
    r_s.row(d) = block.parts[0].factors[d] * r.row(block.parts[0].rows[d]);
    t_s.row(d) = block.parts[0].factors[d] * found.row(block.parts[0].rows[d]);
  }
  const HostMatrix a_s = to_dense(a).topLeftCorner(size, size);
  for (int j = 0; j < 2; ++j) {
    const HostVector left = r_s.col(j) - (theta[j] * t_s.col(j) - a_s * t_s.col(j));
    EXPECT_LE(left.norm(), 0.1 * r_s.col(j).norm());
    EXPECT_LE((block.states.transpose() * left).norm(), 1e-12 * r_s.norm());
  }
}

TEST_P(InnerBlockOn, MayHaveTwoElementsForARowAndNone) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // Two equal blocks; a row stands for the sum of both copies of an element.
  constexpr Index size = 80;
  const CsrMatrix half = ci_like_matrix(size, 6, 7);
  HostMatrix twice = HostMatrix::Zero(2 * size, 2 * size);
  twice.topLeftCorner(size, size) = twice.bottomRightCorner(size, size) = to_dense(half);
  InnerBlock block = leading_block(GetParam(), backend, from_dense(twice), 2 * size, 2);
  for (Index d = 0; d < 2 * size; ++d) {
    block.parts[0].rows[d] = d % size;
    block.parts[0].factors[d] = std::sqrt(0.5);
  }
  InnerBlock single = leading_block(GetParam(), backend, half, size, 1);
  single.parts[0].factors[3] = block.parts[0].factors[3] = block.parts[0].factors[3 + size] = 0.0;
  const HostMatrix r = random_block(size, 1, 8);
  std::vector<HostMatrix> found;
  for (const InnerBlock* b : {&block, &single}) {
    InnerSolve inner(backend, *b, b->parts[0], 1);
    MultiVector t(backend, size, 1);
    backend.upload(r, t.view());
    inner.solve(std::vector{b->energies[0] - 0.1}, 1e-2, t.view());
    inner.put(t.view());
    found.push_back(backend.download(t.view()));
  }
  EXPECT_LE((found[0] - found[1]).norm(), 1e-10);
  EXPECT_EQ(found[0](3, 0), r(3, 0));
  EXPECT_NE(found[0](4, 0), r(4, 0));
}

INSTANTIATE_TEST_SUITE_P(All, InnerBlockOn, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

class InnerBlockInASolve : public Eigensolver {};

TEST_P(InnerBlockInASolve, SavesProductsAndChangesNoState) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(600, 12, 11);
  for (const int states : {1, 3}) {
    EigenOptions options = thorough_options();
    options.states = states;
    PSpace p = p_space_of(a, 20);
    const EigenResult usual = solve(backend, a, p, options);
    p.inner =
        std::make_shared<const InnerBlock>(leading_block(backend_name(), backend, a, 300, states));
    const EigenResult with = solve(backend, a, p, options);
    EXPECT_TRUE(with.verified);
    expect_lowest(a, with, 1e-10);
    EXPECT_EQ(usual.inner_applications, 0);
    if (!traits_of(std::get<1>(GetParam()).method).corrects) {
      EXPECT_EQ(with.inner_applications, 0);
      continue;
    }
    EXPECT_GT(with.inner_applications, 0);
    EXPECT_LT(with.operator_applications, usual.operator_applications);
  }
}

TEST_P(InnerBlockInASolve, OfAnotherMatrixMisleadsNoSolve) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(300, 8, 12);
  EigenOptions options = thorough_options();
  options.states = 2;
  PSpace p = p_space_of(a, 20);
  InnerBlock block = leading_block(backend_name(), backend, ci_like_matrix(300, 8, 13), 150, 2);
  block.energies = {5.0, -7.0};
  p.inner = std::make_shared<const InnerBlock>(std::move(block));
  const EigenResult result = solve(backend, a, p, options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  expect_lowest(a, result, 1e-10);
}

TEST_P(InnerBlockInASolve, OfSeveralSectorsIsNotUsed) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  constexpr Index half = 100;
  HostMatrix two = HostMatrix::Zero(2 * half, 2 * half);
  two.topLeftCorner(half, half) = to_dense(ci_like_matrix(half, 8, 14));
  two.bottomRightCorner(half, half) = to_dense(ci_like_matrix(half, 8, 15));
  const CsrMatrix a = from_dense(two);
  PSpace p = p_space_with_sectors(a, 20);
  p.inner = std::make_shared<const InnerBlock>(
      leading_block(backend_name(), backend, a, half + half / 2, 1));
  const EigenResult result = solve(backend, a, p, thorough_options());
  EXPECT_EQ(result.inner_applications, 0);
  expect_lowest(a, result, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(All, InnerBlockInASolve,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(methods)),
                         name_of_method_test);

}  // namespace
}  // namespace cisolve
