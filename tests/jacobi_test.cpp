#include "solvers/jacobi.hpp"

#include <cmath>

#include "core/error.hpp"
#include "tests/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Random couplings and a diagonal of `dominance` times the row's sum.
CsrMatrix dominant_matrix(Index n, double dominance, unsigned seed, bool symmetric) {
  HostMatrix dense = to_dense(ci_like_matrix(n, 6, seed));
  if (!symmetric) dense.triangularView<Eigen::StrictlyLower>() *= 0.3;
  dense.diagonal().setZero();
  for (Index i = 0; i < n; ++i) dense(i, i) = dominance * dense.row(i).cwiseAbs().sum() + 0.1;
  return from_dense(dense);
}

class Jacobi : public ::testing::TestWithParam<std::string> {};

TEST_P(Jacobi, solves_dominant_systems_symmetric_or_not) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const bool symmetric : {true, false}) {
    for (const double omega : {1.0, 0.7}) {
      const CsrMatrix a = dominant_matrix(200, 1.5, 1, symmetric);
      const HostMatrix b = random_block(200, 1, 2);
      const auto op = operator_on(GetParam(), backend, "csr", a);
      const auto device_b = on(backend, b);
      auto x = on(backend, HostMatrix::Zero(200, 1));
      LinearOptions options;
      options.omega = omega;
      const LinearResult result = jacobi(*op, backend, device_b.view(), x.view(), options);
      EXPECT_EQ(result.status, SolveStatus::converged);
      const HostMatrix residual = b - to_dense(a) * backend.download(x.view());
      EXPECT_LE(residual.norm(), options.tolerance * b.norm());
      EXPECT_NEAR(residual.norm(), result.residual_norm, 1e-13 * b.norm());
    }
  }
}

TEST_P(Jacobi, shifts_the_matrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.2, 3, true);
  const HostMatrix b = random_block(100, 1, 4);
  const auto op = operator_on(GetParam(), backend, "csr", a);
  const auto device_b = on(backend, b);
  auto x = on(backend, HostMatrix::Zero(100, 1));
  LinearOptions options;
  options.shift = -3.0;
  EXPECT_EQ(jacobi(*op, backend, device_b.view(), x.view(), options).status,
            SolveStatus::converged);
  const HostMatrix host_x = backend.download(x.view());
  EXPECT_LE((b - to_dense(a) * host_x - 3.0 * host_x).norm(), 1e-10 * b.norm());
}

TEST_P(Jacobi, stops_as_diverged_and_returns_its_best) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 0.3, 5, true);
  const HostMatrix b = random_block(100, 1, 6);
  const auto op = operator_on(GetParam(), backend, "csr", a);
  const auto device_b = on(backend, b);
  auto x = on(backend, HostMatrix::Zero(100, 1));
  const LinearResult result = jacobi(*op, backend, device_b.view(), x.view(), {});
  EXPECT_EQ(result.status, SolveStatus::diverged);
  EXPECT_LE(result.iterations, 200);
  EXPECT_LE(result.relative_residual, 1.0) << "no worse than the start";
  EXPECT_TRUE(backend.download(x.view()).allFinite());
}

TEST_P(Jacobi, reports_iterations_it_did_not_have) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.05, 7, true);
  const auto op = operator_on(GetParam(), backend, "csr", a);
  const auto b = on(backend, random_block(100, 1, 8));
  auto x = on(backend, HostMatrix::Zero(100, 1));
  LinearOptions options;
  options.max_iterations = 3;
  int calls = 0;
  const LinearResult result =
      jacobi(*op, backend, b.view(), x.view(), options, [&](const LinearIteration& i) {
        EXPECT_EQ(i.iteration, calls++);
        return true;
      });
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(calls, 4);
  x = on(backend, HostMatrix::Zero(100, 1));
  EXPECT_EQ(
      jacobi(*op, backend, b.view(), x.view(), {}, [](const LinearIteration&) { return false; })
          .status,
      SolveStatus::cancelled);
}

TEST_P(Jacobi, solves_for_zero) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(20, 1.5, 9, true);
  const auto op = operator_on(GetParam(), backend, "csr", a);
  const auto b = on(backend, HostMatrix::Zero(20, 1));
  auto x = on(backend, HostMatrix::Zero(20, 1));
  const LinearResult result = jacobi(*op, backend, b.view(), x.view(), {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.relative_residual, 0.0);
}

TEST_P(Jacobi, refuses_a_zero_diagonal_naming_its_row) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const auto op = operator_on(GetParam(), backend, "csr", from_dense(HostMatrix{{1, 2}, {3, 0}}));
  const auto b = on(backend, HostMatrix::Ones(2, 1));
  auto x = on(backend, HostMatrix::Zero(2, 1));
  try {
    jacobi(*op, backend, b.view(), x.view(), {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("row 2"), std::string::npos) << error.what();
  }
  LinearOptions shifted;
  shifted.shift = 1.0;
  EXPECT_THROW(jacobi(*op, backend, b.view(), x.view(), shifted), InputError) << "row 1 now";
}

TEST_P(Jacobi, refuses_a_rectangular_matrix_and_a_wild_omega) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const auto wide = operator_on(GetParam(), backend, "csr", from_dense(HostMatrix{{1, 2}}));
  const auto b = on(backend, HostMatrix::Ones(1, 1));
  auto x = on(backend, HostMatrix::Zero(2, 1));
  EXPECT_THROW(jacobi(*wide, backend, b.view(), x.view(), {}), InputError);
  const auto square = operator_on(GetParam(), backend, "csr", from_dense(HostMatrix{{1}}));
  auto x1 = on(backend, HostMatrix::Zero(1, 1));
  for (const double omega : {0.0, 2.0, -1.0, std::nan("")}) {
    LinearOptions options;
    options.omega = omega;
    EXPECT_THROW(jacobi(*square, backend, b.view(), x1.view(), options), InputError) << omega;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Jacobi, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
