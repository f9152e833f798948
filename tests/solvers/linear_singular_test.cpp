// Linear systems that are singular, nearly so, inconsistent or indefinite: the best iterate is
// returned, and the result says what the system is.

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "tests/support/linear_systems.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

class LinearSingular : public Linear {
 protected:
  LinearOptions symmetric(LinearMethod method) const {
    LinearOptions options;
    options.symmetric = true;
    options.method = method;
    options.max_iterations = 5000;
    return options;
  }
};

bool says(const LinearResult& result, const std::string& words) {
  return std::ranges::any_of(
      result.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

/// b = Ax + part · 1 of a Neumann matrix, to whose range 1 is orthogonal; |b| is about one.
HostMatrix right_side(const HostMatrix& a, double part, unsigned seed) {
  HostMatrix b = a * random_block(static_cast<Index>(a.rows()), 1, seed);
  b /= b.norm();
  b.array() += part / std::sqrt(static_cast<double>(a.rows()));
  return b;
}

TEST_P(LinearSingular, inconsistent_systems_end_at_the_least_residual_and_say_so) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  for (const Index n : {20, 50, 120}) {
    const HostMatrix a = laplacian(n, true);
    for (const double part : {1e-8, 1e-6, 1e-3, 0.5}) {
      for (const LinearMethod method : {LinearMethod::automatic, LinearMethod::minres}) {
        SCOPED_TRACE(to_string(method) + " " + std::to_string(n) + " " + std::to_string(part));
        const HostMatrix b = right_side(a, part, 1);
        const Solved solved = solve(backend, from_dense(a), b, symmetric(method));
        EXPECT_EQ(solved.result.status, SolveStatus::stagnated);
        // minres minimises in the norm of D^-1, in which the two ends count twice.
        EXPECT_LE(solved.result.residual_norm, 1.1 * part);
        EXPECT_NEAR((b - a * solved.x).norm(), solved.result.residual_norm, 1e-12);
        EXPECT_LE(solved.x.norm(), 1e5);
        EXPECT_LE(solved.result.operator_applications, 4 * n + 100);
        // A part near what rounding leaves of a residual may not be told from that.
        if (part < 1e-4) continue;
        EXPECT_TRUE(says(solved.result, "b has a part outside of its range"));
        EXPECT_NE(solved.result.system.find("singular"), std::string::npos);
      }
    }
  }
}

TEST_P(LinearSingular, consistent_systems_are_solved) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a = laplacian(60, true), b = right_side(a, 0.0, 2);
  for (const LinearMethod method :
       {LinearMethod::automatic, LinearMethod::minres, LinearMethod::bicgstab}) {
    SCOPED_TRACE(to_string(method));
    const Solved solved = solve(backend, from_dense(a), b, symmetric(method));
    EXPECT_EQ(solved.result.status, SolveStatus::converged);
    EXPECT_LE((b - a * solved.x).norm(), 1e-10);
  }
}

TEST_P(LinearSingular, no_method_returns_a_worse_iterate_than_one_it_had) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix nearly = laplacian(60, true);
  nearly(0, 0) += 1e-13;
  HostMatrix graded = HostMatrix::Zero(60, 60);
  for (int i = 0; i < 60; ++i) graded(i, i) = std::pow(10.0, -i / 4.0);
  for (int i = 1; i < 60; ++i) graded(i, i - 1) = graded(i - 1, i) = 0.4 * graded(i, i);
  for (const HostMatrix& a : {laplacian(60, true), nearly, graded}) {
    const HostMatrix b = right_side(a, 1e-8, 3);
    for (const LinearMethod method : every_method) {
      for (const bool known : {true, false}) {
        SCOPED_TRACE(to_string(method));
        LinearOptions options = symmetric(method);
        options.symmetric = known;
        if (!known && std::ranges::find(of_any_matrix, method) == std::end(of_any_matrix)) continue;
        options.tolerance = 1e-13;
        const Solved solved = solve(backend, from_dense(a), b, options);
        const auto& history = solved.result.history;
        const double rounding = 1e-14 * (solved.x.norm() * a.norm() / b.norm() + 1.0);
        EXPECT_LE(solved.result.relative_residual,
                  2.0 * *std::ranges::min_element(history) + rounding);
        EXPECT_LE(solved.result.relative_residual, 1.0);
        EXPECT_NEAR((b - a * solved.x).norm(), solved.result.residual_norm,
                    1e-12 + rounding * b.norm());
      }
    }
  }
}

TEST_P(LinearSingular, columns_end_each_for_itself) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a = laplacian(50, true);
  HostMatrix b(50, 3);
  b << right_side(a, 0.0, 4), right_side(a, 1e-5, 5), HostMatrix::Zero(50, 1);
  const Solved solved = solve(backend, from_dense(a), b, symmetric(LinearMethod::minres));
  EXPECT_EQ(solved.result.status, SolveStatus::stagnated);
  EXPECT_LE(solved.result.relative_residuals[0], 1e-10);
  EXPECT_LE(solved.result.relative_residuals[1], 1.1e-5);
  EXPECT_TRUE(solved.x.col(2).isZero(0.0));
}

TEST_P(LinearSingular, columns_of_cg_end_each_for_itself) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a = laplacian(50, true);
  HostMatrix b(50, 2);
  b << right_side(a, 0.0, 4), HostMatrix::Ones(50, 1);
  for (const double sign : {1.0, -1.0}) {
    LinearOptions options = symmetric(LinearMethod::cg);
    options.spectrum_steps = 0;  // which would show that the matrix is singular
    const Solved solved = solve(backend, from_dense(sign * a), b, options);
    EXPECT_EQ(solved.result.status, SolveStatus::stagnated);
    EXPECT_LE(solved.result.relative_residuals[0], 1e-10);
    EXPECT_EQ(solved.x.col(1).norm(), 0.0);
    EXPECT_LE(solved.result.iterations, 100);
  }
}

TEST_P(LinearSingular, no_method_returns_what_is_not_finite) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  CsrMatrix a{3, 3, {0, 2, 4, 4}, {0, 1, 0, 1}, {2.0, 1.0, 1.0, 3.0}};  // nothing in the last row
  const HostMatrix b{{1.0}, {2.0}, {1.0}};
  for (const LinearMethod method :
       {LinearMethod::automatic, LinearMethod::minres, LinearMethod::bicgstab}) {
    const Solved solved = solve(backend, a, b, symmetric(method));
    EXPECT_TRUE(solved.x.allFinite()) << to_string(method);
    EXPECT_NE(solved.result.status, SolveStatus::converged) << to_string(method);
  }
}

TEST_P(LinearSingular, a_column_that_is_done_early_waits_for_the_others) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // A circulant matrix: cosines are eigenvectors, of eigenvalue 1 + 2 sin 1.3m, the constant's is
  // 0.
  constexpr int n = 120;
  HostMatrix q(n, n), a = HostMatrix::Zero(n, n);
  for (int m = 0; m < n; ++m) {
    const int frequency = (m + 1) / 2;
    for (int i = 0; i < n; ++i) {
      const double angle = 2.0 * M_PI * frequency * i / n;
      q(i, m) = m % 2 == 0 && m > 0 ? std::sin(angle) : std::cos(angle);
    }
    q.col(m).normalize();
    const double eigenvalue = m == 0 ? 0.0 : 1.0 + 2.0 * std::sin(1.3 * frequency);
    a += eigenvalue * q.col(m) * q.col(m).transpose();
  }
  a = (0.5 * (a + a.transpose())).eval();
  HostMatrix b(n, 2);
  b << q.col(0) + q.col(5), random_block(n, 1, 3);
  const Solved both = solve(backend, from_dense(a), b, symmetric(LinearMethod::minres));
  for (int j = 0; j < 2; ++j) {
    const double least = std::abs(q.col(0).dot(b.col(j))) / b.col(j).norm();
    EXPECT_LE(both.result.relative_residuals[j], 1.01 * least + 1e-8) << j;
  }
}

TEST_P(LinearSingular, a_residual_that_is_rounding_is_no_success_in_silence) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // A is about one, the shift 1e-12 beside an eigenvalue: |x| is 1e12.
  HostMatrix a = HostMatrix::Constant(30, 30, 0.01);
  a.diagonal() = HostVector::LinSpaced(30, 1.0, 2.0);
  const double eigenvalue = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues()[12];
  for (const LinearMethod method : {LinearMethod::minres, LinearMethod::bicgstab}) {
    for (const double tolerance : {1e-10, 1e-6, 1e-3}) {
      SCOPED_TRACE(to_string(method));
      LinearOptions options = symmetric(method);
      options.shift = eigenvalue + 1e-12;
      options.tolerance = tolerance;
      const Solved solved = solve(backend, from_dense(a), random_block(30, 1, 6), options);
      const double can_tell = 1e-17 * solved.x.norm();
      EXPECT_TRUE(solved.result.status != SolveStatus::converged || tolerance >= can_tell);
      EXPECT_TRUE(tolerance > 1e-6 || !solved.result.notes.empty());
    }
  }
}

TEST_P(LinearSingular, a_zero_on_the_diagonal_is_solved_or_names_what_solves_it) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix a{{4, 1, 1}, {1, 4, 0}, {1, 0, 0}}, saddle{{0, 2}, {2, 0}};
  HostMatrix lopsided = a;
  lopsided(0, 1) = 2.0;
  for (const HostMatrix& one : {a, saddle}) {
    const HostMatrix b = random_block(static_cast<Index>(one.rows()), 1, 7);
    for (const LinearMethod method : {LinearMethod::automatic, LinearMethod::minres}) {
      const LinearOptions options = symmetric(method);
      const Solved solved = solve(backend, from_dense(one), b, options);
      expect_solved(solved, from_dense(one), b, options);
      EXPECT_NE(solved.result.system.find("on the diagonal"), std::string::npos);
    }
  }
  const HostMatrix b = random_block(3, 1, 8);
  expect_solved(solve(backend, from_dense(lopsided), b, {}), from_dense(lopsided), b, {});
  for (const LinearMethod method : {LinearMethod::jacobi, LinearMethod::cg, LinearMethod::srj}) {
    try {
      solve(backend, from_dense(a), b, symmetric(method));
      FAIL() << "accepted";
    } catch (const InputError& error) {
      for (const char* word : {"row 3", "minres", "bicgstab", "block_jacobi"}) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      }
    }
  }
}

TEST_P(LinearSingular, the_result_says_what_the_system_is) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  HostMatrix coupled = HostMatrix::Constant(40, 40, 0.5);
  coupled.diagonal().setConstant(0.4);
  const HostMatrix definite = to_dense(dominant_matrix(40, 1.2, 9, true));
  const std::pair<HostMatrix, const char*> kinds[] = {
      {definite, "positive definite"},
      {-definite, "negative definite"},
      {coupled, "indefinite"},
      {to_dense(ci_like_matrix(40, 6, 10)), "both signs on the diagonal"},
      {laplacian(12, true), "singular to rounding"}};
  for (const auto& [a, words] : kinds) {
    LinearOptions options = symmetric(LinearMethod::automatic);
    options.forecast = true;
    const Solved solved = solve(backend, from_dense(a), right_side(a, 0.0, 11), options);
    EXPECT_NE(solved.result.system.find(words), std::string::npos) << solved.result.system;
    EXPECT_EQ(solved.result.status, SolveStatus::converged);
  }
  EXPECT_EQ(solve(backend, from_dense(definite), random_block(40, 1, 12), {}).result.system,
            "not symmetric");
  // Words on a system that was seen by iterations alone.
  const auto seen = [&](const HostMatrix& a) {
    return solve(backend, from_dense(a), random_block(40, 1, 13),
                 symmetric(LinearMethod::automatic))
        .result.system;
  };
  EXPECT_NE(seen(definite).find("positive definite along"), std::string::npos) << seen(definite);
  EXPECT_NE(seen(-definite).find("negative definite along"), std::string::npos);
  EXPECT_NE(seen(coupled).find("indefinite"), std::string::npos) << seen(coupled);
}

INSTANTIATE_TEST_SUITE_P(All, LinearSingular, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve
