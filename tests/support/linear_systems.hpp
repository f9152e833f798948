#pragma once

#include <Eigen/LU>

#include <cmath>
#include <string>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "tests/support/support.hpp"

namespace cisolve::testing {

/// Systems that linear solvers are tested with, and how a solution is judged.

inline constexpr LinearMethod of_any_matrix[] = {LinearMethod::automatic, LinearMethod::jacobi,
                                                 LinearMethod::bicgstab};

/// Random couplings and a diagonal of `dominance` times the row's sum.
inline CsrMatrix dominant_matrix(Index n, double dominance, unsigned seed, bool symmetric) {
  HostMatrix dense = to_dense(ci_like_matrix(n, 6, seed));
  if (!symmetric) dense.triangularView<Eigen::StrictlyLower>() *= 0.3;
  dense.diagonal().setZero();
  for (Index i = 0; i < n; ++i) dense(i, i) = dominance * dense.row(i).cwiseAbs().sum() + 0.1;
  return from_dense(dense);
}

/// −u″ on n points of a line, u or its slope (Neumann: singular) being zero at the ends.
inline HostMatrix laplacian(Index n, bool neumann) {
  HostMatrix a = HostMatrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    a(i, i) = neumann && (i == 0 || i == n - 1) ? 1.0 : 2.0;
    if (i > 0) a(i, i - 1) = a(i - 1, i) = -1.0;
  }
  return a;
}

/// All but block_jacobi, which takes blocks: they share the spectrum of D⁻¹(A − σ).
inline constexpr LinearMethod every_method[] = {
    LinearMethod::automatic, LinearMethod::jacobi,           LinearMethod::jor,
    LinearMethod::srj,       LinearMethod::chebyshev_jacobi, LinearMethod::anderson_jacobi,
    LinearMethod::cg,        LinearMethod::minres,           LinearMethod::bicgstab};

struct Solved {
  LinearResult result;
  HostMatrix x;
};

/// Expects x to be the dense solution, and the result to have its residual.
inline void expect_solved(const Solved& solved, const CsrMatrix& a, const HostMatrix& b,
                          const LinearOptions& options) {
  HostMatrix s = to_dense(a);
  s.diagonal().array() -= options.shift;
  EXPECT_EQ(solved.result.status, SolveStatus::converged);
  const HostMatrix residual = b - s * solved.x;
  ASSERT_EQ(std::ssize(solved.result.residual_norms), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    EXPECT_LE(residual.col(j).norm(), 1.001 * options.tolerance * b.col(j).norm());
    EXPECT_NEAR(residual.col(j).norm(), solved.result.residual_norms[j], 1e-12 * b.col(j).norm());
  }
  const HostMatrix exact = s.fullPivLu().solve(b);
  EXPECT_LE((solved.x - exact).norm(), 1e-7 * exact.norm());
}

class Linear : public ::testing::TestWithParam<std::string> {
 protected:
  /// Solves on the test's backend, which there is; x0 empty: from zero.
  Solved solve(Backend& backend, const CsrMatrix& a, const HostMatrix& b,
               const LinearOptions& options, const HostMatrix& x0 = {},
               const LinearObserver& observer = {}) const {
    const auto op = operator_on(GetParam(), backend, "csr", a);
    const auto device_b = on(backend, b);
    auto x = on(backend, x0.size() > 0 ? x0 : HostMatrix::Zero(b.rows(), b.cols()));
    LinearResult result = solve_linear(*op, backend, device_b.view(), x.view(), options, observer);
    return {std::move(result), backend.download(x.view())};
  }
  void expect_every_method_solves(Backend& backend, const CsrMatrix& a, const HostMatrix& b) const {
    for (const LinearMethod method : every_method) {
      SCOPED_TRACE(to_string(method));
      LinearOptions options;
      options.method = method;
      options.symmetric = true;
      expect_solved(solve(backend, a, b, options), a, b, options);
    }
  }
};

}  // namespace cisolve::testing
