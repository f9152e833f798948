#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "solvers/linear_problem.hpp"
#include "solvers/row_dominance.hpp"
#include "tests/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

constexpr LinearMethod of_any_matrix[] = {LinearMethod::automatic, LinearMethod::jacobi,
                                          LinearMethod::bicgstab};

/// Random couplings and a diagonal of `dominance` times the row's sum.
CsrMatrix dominant_matrix(Index n, double dominance, unsigned seed, bool symmetric) {
  HostMatrix dense = to_dense(ci_like_matrix(n, 6, seed));
  if (!symmetric) dense.triangularView<Eigen::StrictlyLower>() *= 0.3;
  dense.diagonal().setZero();
  for (Index i = 0; i < n; ++i) dense(i, i) = dominance * dense.row(i).cwiseAbs().sum() + 0.1;
  return from_dense(dense);
}

/// All but block_jacobi, which takes blocks: they share the spectrum of D⁻¹(A − σ).
constexpr LinearMethod every_method[] = {
    LinearMethod::automatic, LinearMethod::jacobi,           LinearMethod::jor,
    LinearMethod::srj,       LinearMethod::chebyshev_jacobi, LinearMethod::anderson_jacobi,
    LinearMethod::cg,        LinearMethod::minres,           LinearMethod::bicgstab};

struct Solved {
  LinearResult result;
  HostMatrix x;
};

/// That x is the dense solution, and that the result says what its residual is.
void expect_solved(const Solved& solved, const CsrMatrix& a, const HostMatrix& b,
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

TEST_P(Linear, every_method_solves_symmetric_positive_systems) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(200, 1.2, 1, true);
  const HostMatrix b = random_block(200, 1, 2);
  for (const LinearMethod method : every_method) {
    for (const double shift : {0.0, -0.5}) {
      SCOPED_TRACE(to_string(method) + ", shift " + std::to_string(shift));
      LinearOptions options;
      options.method = method;
      options.symmetric = true;
      options.shift = shift;
      const Solved solved = solve(backend, a, b, options);
      expect_solved(solved, a, b, options);
      EXPECT_EQ(solved.result.setup_applications, 20);
      EXPECT_EQ(solved.result.forecasts.size(), std::size(every_method) - 1);
      EXPECT_EQ(std::ssize(solved.result.history), solved.result.iterations + 1);
    }
  }
}

TEST_P(Linear, every_method_takes_negative_definite_systems) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = from_dense(-to_dense(dominant_matrix(100, 1.2, 3, true)));
  const HostMatrix b = random_block(100, 1, 4);
  expect_every_method_solves(backend, a, b);
}

TEST_P(Linear, every_method_solves_for_several_columns_at_once) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(150, 1.2, 5, true);
  HostMatrix b = random_block(150, 4, 6);
  b.col(1) *= 1e6;
  b.col(2).setZero();
  b.col(3) = to_dense(a).col(7);
  expect_every_method_solves(backend, a, b);
}

TEST_P(Linear, a_column_is_solved_as_it_is_alone) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(150, 1.1, 7, true);
  const HostMatrix b = random_block(150, 3, 8);
  for (const LinearMethod method : {LinearMethod::anderson_jacobi, LinearMethod::cg,
                                    LinearMethod::minres, LinearMethod::bicgstab}) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    options.symmetric = true;
    options.omega = method == LinearMethod::anderson_jacobi ? 0.9 : 0.0;
    const int together = solve(backend, a, b, options).result.iterations;
    int alone = 0;
    for (int j = 0; j < 3; ++j) {
      alone = std::max(alone, solve(backend, a, b.col(j), options).result.iterations);
    }
    EXPECT_NEAR(together, alone, 1);
  }
}

TEST_P(Linear, solves_systems_that_are_not_symmetric) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(200, 1.2, 9, false);
  const HostMatrix b = random_block(200, 2, 10);
  for (const LinearMethod method : of_any_matrix) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    const Solved solved = solve(backend, a, b, options);
    expect_solved(solved, a, b, options);
    EXPECT_FALSE(solved.result.spectrum.has_value());
    EXPECT_EQ(solved.result.method,
              method == LinearMethod::jacobi ? method : LinearMethod::bicgstab);
  }
  LinearOptions options;
  options.omega = 0.8;
  for (const LinearMethod method : {LinearMethod::jor, LinearMethod::anderson_jacobi}) {
    options.method = method;
    expect_solved(solve(backend, a, b, options), a, b, options);
  }
  options.omega = 0.0;
  for (const LinearMethod method :
       {LinearMethod::jor, LinearMethod::srj, LinearMethod::chebyshev_jacobi,
        LinearMethod::anderson_jacobi, LinearMethod::cg, LinearMethod::minres}) {
    options.method = method;
    EXPECT_THROW(solve(backend, a, b, options), InputError) << to_string(method);
  }
}

TEST_P(Linear, jacobi_takes_a_dominant_diagonal_of_both_signs) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix dense = HostMatrix::Constant(40, 40, 0.01);
  for (int i = 0; i < 40; ++i) dense(i, i) = i % 2 == 0 ? 1.0 : -2.0;
  const CsrMatrix a = from_dense(dense);
  const HostMatrix b = random_block(40, 2, 13);
  LinearOptions options;
  options.symmetric = true;
  options.method = LinearMethod::jacobi;
  expect_solved(solve(backend, a, b, options), a, b, options);
}

TEST_P(Linear, refuses_a_right_hand_side_whose_norm_overflows) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = from_dense(HostMatrix{{2, 0}, {0, 3}});
  LinearOptions options;
  options.method = LinearMethod::jacobi;
  EXPECT_THROW(solve(backend, a, HostMatrix::Constant(2, 1, 1e200), options), InputError);
}

TEST_P(Linear, minres_alone_takes_indefinite_systems_and_the_others_name_it) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // Of both signs on the diagonal; and definite there, with an eigenvalue below zero.
  HostMatrix coupled = HostMatrix::Constant(60, 60, 0.5);
  coupled.diagonal().setConstant(0.4);
  const CsrMatrix mixed = ci_like_matrix(60, 6, 11), hidden = from_dense(coupled);
  const HostMatrix b = random_block(60, 2, 12);
  for (const CsrMatrix& a : {mixed, hidden}) {
    LinearOptions options;
    options.symmetric = true;
    options.method = LinearMethod::minres;
    expect_solved(solve(backend, a, b, options), a, b, options);
    options.method = LinearMethod::automatic;
    expect_solved(solve(backend, a, b, options), a, b, options);
    for (const LinearMethod method :
         {LinearMethod::jacobi, LinearMethod::jor, LinearMethod::srj,
          LinearMethod::chebyshev_jacobi, LinearMethod::anderson_jacobi, LinearMethod::cg}) {
      SCOPED_TRACE(to_string(method));
      options.method = method;
      const Solved solved = solve(backend, a, b, options);
      const bool both_signs = std::ranges::min(diagonal(a)) < 0.0;
      if (method == LinearMethod::jacobi && both_signs) continue;  // it is tried
      EXPECT_EQ(solved.result.status, SolveStatus::indefinite);
      EXPECT_EQ(solved.result.iterations, 0);
      ASSERT_FALSE(solved.result.notes.empty());
      EXPECT_NE(solved.result.notes.back().find("minres"), std::string::npos);
    }
  }
  LinearOptions unseen;
  unseen.symmetric = true;
  unseen.spectrum_steps = 0;
  unseen.method = LinearMethod::cg;
  EXPECT_EQ(solve(backend, hidden, b, unseen).result.status, SolveStatus::indefinite)
      << "cg meets a direction of negative curvature";
  unseen.method = LinearMethod::jacobi;
  EXPECT_EQ(solve(backend, hidden, b, unseen).result.status, SolveStatus::diverged);
}

TEST_P(Linear, an_exact_start_takes_no_iteration) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(80, 1.5, 13, true);
  const HostMatrix x = random_block(80, 2, 14), b = to_dense(a) * x;
  for (const LinearMethod method : every_method) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    options.symmetric = true;
    const Solved solved = solve(backend, a, b, options, x);
    expect_solved(solved, a, b, options);
    EXPECT_EQ(solved.result.iterations, 0);
    EXPECT_EQ(solved.result.setup_applications, 20 + 2);
  }
}

TEST_P(Linear, solves_for_zero) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(20, 1.5, 15, true);
  for (const LinearMethod method : every_method) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    options.symmetric = true;
    for (const HostMatrix& x0 : {HostMatrix(), random_block(20, 1, 16)}) {
      const Solved solved = solve(backend, a, HostMatrix::Zero(20, 1), options, x0);
      EXPECT_EQ(solved.result.status, SolveStatus::converged);
      EXPECT_LE(solved.result.relative_residual, options.tolerance);
      EXPECT_EQ(solved.result.relative_residual, solved.result.residual_norm);
    }
  }
}

TEST_P(Linear, solves_systems_of_a_single_row_and_diagonal_ones) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix diagonal = HostVector::LinSpaced(30, 1.0, 9.0).asDiagonal();
  for (const HostMatrix& dense : {HostMatrix{{2.0}}, diagonal}) {
    for (const LinearMethod method : every_method) {
      SCOPED_TRACE(to_string(method));
      LinearOptions options;
      options.method = method;
      options.symmetric = true;
      const HostMatrix b = random_block(static_cast<Index>(dense.rows()), 1, 17);
      const Solved solved = solve(backend, from_dense(dense), b, options);
      expect_solved(solved, from_dense(dense), b, options);
      EXPECT_EQ(solved.result.spectrum->steps, 1);
    }
  }
}

TEST_P(Linear, stops_as_diverged_and_returns_its_best) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 0.3, 5, true);
  const Solved solved = solve(backend, a, random_block(100, 1, 6), {});
  EXPECT_EQ(solved.result.status, SolveStatus::diverged);
  EXPECT_LE(solved.result.iterations, 200);
  EXPECT_LE(solved.result.relative_residual, 1.0) << "no worse than the start";
  EXPECT_TRUE(solved.x.allFinite());
}

TEST_P(Linear, a_tolerance_beyond_rounding_stagnates) {
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

TEST_P(Linear, the_absolute_tolerance_suffices) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.2, 20, true);
  LinearOptions options;
  options.absolute_tolerance = 1e-2;
  const Solved solved = solve(backend, a, random_block(100, 1, 21), options);
  EXPECT_EQ(solved.result.status, SolveStatus::converged);
  EXPECT_LE(solved.result.residual_norm, 1e-2);
  EXPECT_GT(solved.result.relative_residual, 1e-6);
}

TEST_P(Linear, reports_iterations_it_did_not_have) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(100, 1.05, 7, true);
  const HostMatrix b = random_block(100, 1, 8);
  LinearOptions options;
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

TEST_P(Linear, a_long_history_is_thinned) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = dominant_matrix(10, 1.2, 22, true);
  LinearOptions options;
  options.omega = 1e-6;
  options.max_iterations = 9000;
  const Solved solved = solve(backend, a, random_block(10, 1, 23), options);
  EXPECT_EQ(solved.result.iterations, 9000);
  EXPECT_EQ(solved.result.history_every, 4);
  EXPECT_EQ(std::ssize(solved.result.history), 9000 / 4 + 1);
}

TEST_P(Linear, a_matrix_that_is_not_finite_ends_as_diverged) {
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
    EXPECT_EQ(solved.result.iterations, 0);
    EXPECT_FALSE(solved.result.spectrum.has_value());
    EXPECT_TRUE(solved.x.isZero()) << "the start";
  }
}

TEST_P(Linear, returns_an_iterate_near_the_best_of_each_column) {
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

TEST_P(Linear, refuses_a_zero_or_nan_diagonal_naming_its_row) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double element : {0.0, nan}) {
    const CsrMatrix a = from_dense(HostMatrix{{1, 2}, {3, element}});
    for (const LinearMethod method : of_any_matrix) {
      LinearOptions options;
      options.method = method;
      try {
        solve(backend, a, HostMatrix::Ones(2, 1), options);
        FAIL() << "accepted";
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("row 2"), std::string::npos) << error.what();
      }
    }
  }
  LinearOptions shifted;
  shifted.shift = 1.0;
  EXPECT_THROW(
      solve(backend, from_dense(HostMatrix{{1, 2}, {3, 0}}), HostMatrix::Ones(2, 1), shifted),
      InputError);
}

TEST_P(Linear, refuses_a_rectangular_matrix_other_shapes_and_a_wild_omega) {
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
    options.omega = omega;
    EXPECT_THROW(solve(backend, square, HostMatrix::Ones(1, 1), options), InputError) << omega;
  }
}

TEST(RowSums, count_the_rows_that_are_not_dominant) {
  const HostMatrix dense{{3, 1, -1}, {1, 2, 1.5}, {-1, 1.5, -2}};
  EXPECT_EQ(RowSums(from_dense(dense)).not_dominant(0.0), 2);
  EXPECT_EQ(RowSums(from_dense(dense)).not_dominant(-1.0), 1);
  EXPECT_EQ(RowSums(upper_triangle(from_dense(dense), "m")).not_dominant(0.0), 2);
}

TEST(Forecast, has_no_place_beyond_the_iterations_allowed_and_none_from_two_steps) {
  const auto backend = make_cpu_backend();
  const CsrMatrix a = dominant_matrix(300, 1.01, 26, true);
  const auto op = make_operator("csr", std::make_shared<const CsrMatrix>(a), *backend);
  const auto b = on(*backend, random_block(300, 1, 27));
  LinearOptions options;
  options.symmetric = true;
  options.method = LinearMethod::cg;
  options.spectrum_steps = 4;
  const auto forecasts = [&](int most, int steps) {
    auto x = on(*backend, HostMatrix::Zero(300, 1));
    options.max_iterations = most;
    options.spectrum_steps = steps;
    return solve_linear(*op, *backend, b.view(), x.view(), options).forecasts;
  };
  for (const int most : {6, 1000}) {
    for (const LinearForecast& one : forecasts(most, 4)) {
      if (one.method == LinearMethod::cg) {
        EXPECT_EQ(one.iterations.has_value(), most == 1000);
      }
      EXPECT_LE(one.iterations.value_or(0), most) << to_string(one.method);
    }
  }
  EXPECT_TRUE(forecasts(1000, 2).empty());
  EXPECT_FALSE(forecasts(1000, 3).empty());
}

INSTANTIATE_TEST_SUITE_P(All, Linear, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
