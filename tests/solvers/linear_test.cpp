// Systems that the linear solvers solve.

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "formats/matrix/row_dominance.hpp"
#include "tests/support/linear_systems.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// Products of one vector before the first iteration.
int products_of_a_look(LinearMethod method) {
  const bool weighs = method == LinearMethod::jor || method == LinearMethod::srj ||
                      method == LinearMethod::chebyshev_jacobi ||
                      method == LinearMethod::anderson_jacobi;
  return weighs ? 2 * LinearOptions().spectrum_steps : 0;
}

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
      EXPECT_EQ(solved.result.setup_applications, products_of_a_look(method));
      EXPECT_EQ(std::ssize(solved.result.history), solved.result.iterations + 1);
      options.forecast = true;
      const Solved foreseen = solve(backend, a, b, options);
      expect_solved(foreseen, a, b, options);
      EXPECT_EQ(foreseen.result.setup_applications, 40);
      EXPECT_EQ(foreseen.result.forecasts.size(), std::size(every_method) - 1);
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

TEST_P(Linear, minres_alone_takes_indefinite_systems_and_the_others_name_it) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // A diagonal of both signs; and a positive one with an eigenvalue below zero.
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
      options.forecast = true;
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
  for (const int steps : {0, 20}) {
    unseen.spectrum_steps = steps;
    unseen.method = LinearMethod::cg;
    const Solved by_cg = solve(backend, hidden, b, unseen);
    EXPECT_EQ(by_cg.result.status, SolveStatus::indefinite)
        << "cg meets a direction of negative curvature";
    unseen.method = LinearMethod::jacobi;
    const Solved by_jacobi = solve(backend, hidden, b, unseen);
    EXPECT_EQ(by_jacobi.result.status, SolveStatus::diverged);
    for (const auto& notes : {by_cg.result.notes, by_jacobi.result.notes}) {
      const bool looked_behind = std::ranges::any_of(notes, [](const std::string& note) {
        return note.find("minres does") != std::string::npos;
      });
      EXPECT_EQ(looked_behind, steps > 0);
    }
  }
}

TEST_P(Linear, minres_goes_on_where_the_first_direction_bends_down) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = from_dense(HostMatrix{{1.0, 2.0}, {2.0, 1.0}});
  LinearOptions options;
  options.symmetric = true;
  for (const HostMatrix& b : {HostMatrix{{1.0}, {-1.0}}, HostMatrix{{1.0}, {0.5}}}) {
    const Solved solved = solve(backend, a, b, options);
    expect_solved(solved, a, b, options);
    EXPECT_EQ(solved.result.method, LinearMethod::minres);
    EXPECT_EQ(solved.result.setup_applications, 0);
  }
}

TEST_P(Linear, forecasts_are_of_the_part_of_the_matrix_that_b_lies_in) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // Jacobi's method diverges in the last three rows, where b is zero, and soon ends in the others.
  constexpr int rows = 30;
  HostMatrix dense = HostMatrix::Identity(rows, rows), b = HostMatrix::Ones(rows, 1);
  for (int i = 1; i < rows - 3; ++i) dense(i, i - 1) = dense(i - 1, i) = 0.05;
  for (int i = rows - 3; i < rows; ++i) {
    b(i, 0) = 0.0;
    for (int j = rows - 3; j < rows; ++j) dense(i, j) = i == j ? 1.0 : 0.6;
  }
  for (const LinearMethod method :
       {LinearMethod::jacobi, LinearMethod::cg, LinearMethod::minres, LinearMethod::bicgstab}) {
    SCOPED_TRACE(to_string(method));
    LinearOptions options;
    options.method = method;
    options.symmetric = true;
    options.forecast = true;
    const Solved solved = solve(backend, from_dense(dense), b, options);
    expect_solved(solved, from_dense(dense), b, options);
    EXPECT_LE(solved.result.iterations, 12);
    EXPECT_NEAR(solved.result.spectrum->interval.highest, 2.2, 1e-6) << "random numbers see it";
    const auto own = std::ranges::find(solved.result.forecasts, method, &LinearForecast::method);
    ASSERT_NE(own, solved.result.forecasts.end());
    ASSERT_TRUE(own->iterations.has_value());
    EXPECT_NEAR(*own->iterations, solved.result.iterations, 1);
    EXPECT_TRUE(solved.result.notes.empty());
  }
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
    EXPECT_EQ(solved.result.setup_applications, products_of_a_look(method) + 2);
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
      options.forecast = true;
      // Both signs: one of them is opposite to the spectrum's random vector.
      for (const double sign : {1.0, -1.0}) {
        const HostMatrix b = sign * random_block(static_cast<Index>(dense.rows()), 1, 17);
        const Solved solved = solve(backend, from_dense(dense), b, options);
        expect_solved(solved, from_dense(dense), b, options);
        ASSERT_TRUE(solved.result.spectrum.has_value());
        EXPECT_EQ(solved.result.spectrum->steps, 1);
      }
    }
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
  options.forecast = true;
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
