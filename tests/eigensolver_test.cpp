// Both eigensolvers on every backend, against dense diagonalisation and cases made to mislead.

#include <malloc.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "solvers/eigen_problem.hpp"
#include "tests/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

PSpace p_space_of(const CsrMatrix& a, int size) {
  PSpace p;
  p.rows = lowest_diagonal_rows(diagonal(a), size);
  p.matrix = principal_submatrix(a, p.rows);
  return p;
}

HostVector dense_eigenvalues(const CsrMatrix& a) {
  return symmetric_eigen(to_dense(a)).values;
}

/// ‖AX − XΘ‖ ≤ tolerance column by column and XᵀX = 1, computed on the host.
void expect_eigenpairs(const CsrMatrix& a, Backend& backend, const EigenResult& result,
                       double tolerance) {
  const HostMatrix x = backend.download(result.vectors.view());
  const Eigen::Map<const HostVector> theta(result.energies.data(),
                                           static_cast<Eigen::Index>(result.energies.size()));
  const HostMatrix residual = to_dense(a) * x - x * theta.asDiagonal();
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    EXPECT_LE(residual.col(j).norm(), tolerance);
    EXPECT_NEAR(residual.col(j).norm(), result.residual_norms[j], 1e-10);
  }
  EXPECT_LE((x.transpose() * x - HostMatrix::Identity(x.cols(), x.cols())).norm(), 1e-10);
}

void expect_lowest(const CsrMatrix& a, const EigenResult& result, double tolerance) {
  const HostVector exact = dense_eigenvalues(a);
  for (std::size_t j = 0; j < result.energies.size(); ++j) {
    EXPECT_NEAR(result.energies[j], exact[static_cast<Eigen::Index>(j)], tolerance)
        << "state " << j;
  }
}

struct Method {
  std::string name;
  EigenMethod method;
};
void PrintTo(const Method& method, std::ostream* out) {
  *out << method.name;
}
const std::vector<Method> methods{{"davidson", EigenMethod::davidson},
                                  {"lobpcg", EigenMethod::lobpcg},
                                  {"lanczos", EigenMethod::lanczos}};

class Eigensolver : public ::testing::TestWithParam<std::tuple<std::string, Method>> {
 protected:
  const std::string& backend_name() const { return std::get<0>(GetParam()); }
  EigenResult solve(Backend& backend, const CsrMatrix& a, const PSpace& p, EigenOptions options,
                    const EigenObserver& observer = {}) const {
    const auto op = operator_on(backend_name(), backend, "csr", a);
    options.method = std::get<1>(GetParam()).method;
    return lowest_eigenpairs(*op, backend, p, options, observer);
  }
};

TEST_P(Eigensolver, finds_the_lowest_states_of_a_ci_like_matrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 1);
  for (const int states : {1, 4, 8}) {
    EigenOptions options;
    options.states = states;
    options.max_iterations = 2000;
    const EigenResult result = solve(backend, a, p_space_of(a, 40), options);
    SCOPED_TRACE(states);
    EXPECT_EQ(result.status, SolveStatus::converged);
    expect_eigenpairs(a, backend, result, options.tolerance);
    expect_lowest(a, result, 1e-10);
  }
}

TEST_P(Eigensolver, restarts_from_the_smallest_basis_allowed) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 2);
  EigenOptions options;
  options.states = 3;
  options.guard = 1;
  options.max_basis = 10;
  options.max_iterations = 5000;
  const EigenResult result = solve(backend, a, p_space_of(a, 20), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  expect_lowest(a, result, 1e-10);
}

TEST_P(Eigensolver, takes_a_decoupled_lowest_determinant) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  HostMatrix dense = to_dense(ci_like_matrix(120, 5, 3));
  dense.row(0).setZero();
  dense.col(0).setZero();
  dense(0, 0) = -10.0;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 2;
  const EigenResult result = solve(backend, a, p_space_of(a, 10), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(result.energies[0], -10.0, 1e-12);
  expect_lowest(a, result, 1e-10);
}

TEST_P(Eigensolver, takes_start_vectors_that_are_exact) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(60, 5, 4);
  EigenOptions options;
  options.states = 3;
  const EigenResult result = solve(backend, a, p_space_of(a, 60), options);  // P is the whole space
  EXPECT_EQ(result.status, SolveStatus::converged);
  expect_lowest(a, result, 1e-10);
}

TEST_P(Eigensolver, takes_as_many_states_as_rows) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(12, 3, 5);
  for (const int states : {1, 11, 12}) {
    for (const int p : {2, 12}) {
      SCOPED_TRACE(std::to_string(states) + " states, P of " + std::to_string(p));
      EigenOptions options;
      options.states = states;
      const EigenResult result = solve(backend, a, p_space_of(a, p), options);
      EXPECT_EQ(result.status, SolveStatus::converged);
      expect_lowest(a, result, 1e-10);
    }
  }
}

TEST_P(Eigensolver, takes_a_matrix_of_one_row) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = from_dense(HostMatrix{{-3.5}});
  const EigenResult result = solve(backend, a, p_space_of(a, 1), {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.energies, std::vector<double>{-3.5});
}

TEST_P(Eigensolver, finds_the_diagonal_elements_of_a_diagonal_matrix) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  HostMatrix dense = HostMatrix::Zero(50, 50);
  for (int i = 0; i < 50; ++i) dense(i, i) = (i * 37) % 50 - 20.0;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 4;
  const EigenResult result = solve(backend, a, p_space_of(a, 10), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(result.energies[j], j - 20.0, 1e-10);
}

TEST_P(Eigensolver, never_calls_an_unfinished_solve_converged) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 6);
  EigenOptions options;
  options.states = 2;
  options.max_iterations = 2;
  const EigenResult result = solve(backend, a, p_space_of(a, 5), options);
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  EXPECT_EQ(result.energies.size(), 2u);
  EXPECT_FALSE(result.converged[0] && result.converged[1]);
  // The residuals reported are true all the same.
  expect_eigenpairs(a, backend, result, std::numeric_limits<double>::infinity());
}

TEST_P(Eigensolver, stops_when_its_observer_says_so) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 7);
  int calls = 0;
  const EigenResult result = solve(backend, a, p_space_of(a, 5), {}, [&](const EigenIteration& i) {
    EXPECT_EQ(i.iteration, ++calls);
    EXPECT_EQ(i.energies.size(), i.residual_norms.size());
    return calls < 3;
  });
  EXPECT_EQ(result.status, SolveStatus::cancelled);
  EXPECT_EQ(calls, 3);
}

TEST_P(Eigensolver, remembers_a_stop_asked_for_before_there_are_enough_vectors) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 7);
  EigenOptions options;
  options.states = 4;
  const EigenResult result = solve(backend, a, p_space_of(a, 5), options,
                                   [](const EigenIteration& i) { return i.iteration != 1; });
  EXPECT_EQ(result.status, SolveStatus::cancelled);
  EXPECT_LE(result.iterations, 4);
  expect_eigenpairs(a, backend, result, std::numeric_limits<double>::infinity());
}

TEST_P(Eigensolver, reaches_a_block_that_the_p_space_misses) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  // The lowest state lies in a strongly coupled block whose diagonal elements are the highest.
  HostMatrix dense = HostMatrix::Zero(60, 60);
  dense.topLeftCorner(40, 40) = to_dense(ci_like_matrix(40, 4, 11));
  dense.bottomRightCorner(20, 20).setConstant(-1.0);
  dense.bottomRightCorner(20, 20).diagonal().setConstant(6.0);
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 2;
  const EigenResult result = solve(backend, a, p_space_of(a, 10), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  expect_lowest(a, result, 1e-10);
}

TEST_P(Eigensolver, finds_every_copy_of_a_degenerate_state) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  // Three uncoupled copies of one block: every eigenvalue is threefold.
  const HostMatrix block = to_dense(ci_like_matrix(60, 4, 10));
  HostMatrix dense = HostMatrix::Zero(180, 180);
  for (int c = 0; c < 3; ++c) dense.block(60 * c, 60 * c, 60, 60) = block;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 6;
  options.max_iterations = 2000;
  const EigenResult result = solve(backend, a, p_space_of(a, 30), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  expect_lowest(a, result, 1e-10);
}

TEST_P(Eigensolver, never_ends_with_a_wrong_state_called_converged_on_random_problems) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  std::mt19937 engine(1);
  const auto below = [&](int n) { return static_cast<int>(engine() % n); };
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 1 + below(40);
    HostMatrix dense = to_dense(ci_like_matrix(n, 3, engine()));
    // Cut into blocks, and some diagonal elements made the same.
    const int cut = below(n + 1);
    dense.topRightCorner(cut, n - cut).setZero();
    dense.bottomLeftCorner(n - cut, cut).setZero();
    if (trial % 2 == 0) dense.diagonal() = (2.0 * dense.diagonal().array()).round() / 2.0;
    const CsrMatrix a = from_dense(dense);
    EigenOptions options;
    options.states = 1 + below(n);
    options.max_basis = trial % 3 == 0 ? smallest_basis(options, n) : 0;
    options.max_iterations = 3000;
    options.seed = trial;
    const PSpace p = p_space_of(a, 1 + below(n));
    SCOPED_TRACE("trial " + std::to_string(trial) + ", n " + std::to_string(n) + ", states " +
                 std::to_string(options.states) + ", P " + std::to_string(p.rows.size()));
    const EigenResult result = solve(backend, a, p, options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    expect_lowest(a, result, 1e-8);
    expect_eigenpairs(a, backend, result, options.tolerance);
  }
}

TEST_P(Eigensolver, refuses_a_rectangular_matrix_and_a_tolerance_of_zero) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix wide = from_dense(HostMatrix::Ones(2, 3));
  const PSpace p{{0}, HostMatrix::Ones(1, 1)};
  EXPECT_THROW(solve(backend, wide, p, {}), InputError);
  EigenOptions options;
  options.tolerance = 0.0;
  EXPECT_THROW(solve(backend, from_dense(HostMatrix::Ones(2, 2)), p, options), InputError);
}

TEST_P(Eigensolver, calls_nan_in_the_matrix_a_breakdown) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  CsrMatrix a = ci_like_matrix(50, 5, 8);
  const PSpace p = p_space_of(a, 5);
  a.values[a.row_offsets[p.rows[0]]] = std::nan("");
  EXPECT_EQ(solve(backend, a, p, {}).status, SolveStatus::breakdown);
}

TEST_P(Eigensolver, counts_every_product) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(300, 5, 9);
  std::int64_t last = 0;
  EigenOptions options;
  options.states = 2;
  const EigenResult result =
      solve(backend, a, p_space_of(a, 20), options, [&](const EigenIteration& i) {
        EXPECT_GT(i.operator_applications + i.probe_applications, last);
        last = i.operator_applications + i.probe_applications;
        return true;
      });
  EXPECT_EQ(result.operator_applications + result.probe_applications, last + 2)
      << "two more for the final residuals";
}

TEST_P(Eigensolver, stops_by_the_energy_where_asked_to) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 1);
  const auto solved = [&](StopBy by, double tolerance, double energy_tolerance) {
    EigenOptions options;
    options.states = 2;
    options.stop_by = by;
    options.tolerance = tolerance;
    options.energy_tolerance = energy_tolerance;
    return solve(backend, a, p_space_of(a, 40), options);
  };
  const EigenResult loose = solved(StopBy::energy, 1e-9, 1e-5);
  EXPECT_EQ(loose.status, SolveStatus::converged);
  EXPECT_GT(loose.residual_norms[0], 1e-9);
  EXPECT_LE(loose.energy_changes[0], 1e-5);
  expect_lowest(a, loose, 1e-3);
  const EigenResult both = solved(StopBy::both, 1e-3, 1e-12);
  EXPECT_EQ(both.status, SolveStatus::converged);
  EXPECT_LE(both.energy_changes[1], 1e-12);
  EXPECT_LE(both.residual_norms[1], 1e-3);
  EXPECT_GT(both.operator_applications,
            solved(StopBy::residual, 1e-3, 1e-12).operator_applications);
}

TEST_P(Eigensolver, ends_where_rounding_does_and_says_so) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  HostMatrix dense = to_dense(ci_like_matrix(200, 6, 16));
  dense.diagonal().array() -= 100.0;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 2;
  options.tolerance = 1e-17;
  const EigenResult result = solve(backend, a, p_space_of(a, 20), options);
  EXPECT_EQ(result.status, SolveStatus::stagnated);
  EXPECT_FALSE(result.converged[0]);
  EXPECT_GT(result.attainable_residual, 1e-14);
  EXPECT_LT(result.attainable_residual, 1e-11);
  for (const double norm : result.residual_norms) EXPECT_LE(norm, 2 * result.attainable_residual);
  EXPECT_LT(result.iterations, 200);
}

TEST_P(Eigensolver, goes_on_from_its_state_without_repeating_a_product) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 17);
  EigenOptions options;
  options.states = 3;
  options.max_iterations = 2000;
  const EigenResult whole = solve(backend, a, p_space_of(a, 40), options);
  SolverState kept;
  std::vector<std::pair<HostMatrix, HostMatrix>> pairs;
  options.checkpoint = [&](int, bool last, const std::function<SolverState()>& state) {
    if (!last) return;
    kept = state();
    pairs.resize(kept.vectors);
    for (int j = 0; j < kept.vectors; ++j) kept.read(j, pairs[j].first, pairs[j].second);
  };
  options.max_iterations = 6;
  EXPECT_EQ(solve(backend, a, p_space_of(a, 40), options).status, SolveStatus::max_iterations);
  kept.read = [&](int j, HostMatrix& x, HostMatrix& ax) { std::tie(x, ax) = pairs.at(j); };
  options.checkpoint = {};
  options.begin_from = &kept;
  options.max_iterations = 2000;
  const EigenResult rest = solve(backend, a, p_space_of(a, 40), options);
  EXPECT_EQ(rest.status, SolveStatus::converged);
  expect_lowest(a, rest, 1e-9);
  EXPECT_LE(rest.operator_applications, whole.operator_applications + 3);
}

TEST_P(Eigensolver, stops_by_the_energy_where_a_start_vector_is_exact) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(40, 5, 4);
  for (const StopBy by : {StopBy::energy, StopBy::both}) {
    EigenOptions options;
    options.stop_by = by;
    const EigenResult result = solve(backend, a, p_space_of(a, 40), options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    expect_lowest(a, result, 1e-10);
  }
}

TEST_P(Eigensolver, keeps_all_states_when_the_smallest_basis_restarts) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(300, 6, 22);
  EigenOptions options;
  options.method = std::get<1>(GetParam()).method;
  options.states = 20;
  options.guard = 1;
  options.max_basis = options.method == EigenMethod::lobpcg ? 0 : smallest_basis(options, a.rows);
  options.max_iterations = 5000;
  const EigenResult result = solve(backend, a, p_space_of(a, 60), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_TRUE(result.verified);
  expect_lowest(a, result, 1e-10);
}

TEST_P(Eigensolver, begins_in_single_precision_and_ends_in_double) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 18);
  FormatOptions single;
  single.off_diagonal = Precision::float32;
  EigenOptions options;
  options.method = std::get<1>(GetParam()).method;
  options.states = 2;
  for (const double tolerance : {1e-3, 1e-9}) {
    SCOPED_TRACE(tolerance);
    const auto op = operator_on(backend_name(), backend, "csr", a, single);
    EXPECT_GT(op->rounding_error(), 1e-9);
    options.tolerance = tolerance;
    const EigenResult result = lowest_eigenpairs(*op, backend, p_space_of(a, 40), options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(op->rounding_error(), 0.0);
    EXPECT_GT(result.single_precision_iterations, 0);
    EXPECT_LT(result.single_precision_iterations, result.iterations);
    expect_eigenpairs(a, backend, result, tolerance);
    expect_lowest(a, result, 1e-5);
    if (tolerance < 1e-6) expect_lowest(a, result, 1e-12);
  }
}

TEST_P(Eigensolver, cut_short_in_single_precision_gives_residuals_in_double) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 18);
  FormatOptions single;
  single.off_diagonal = Precision::float32;
  const auto op = operator_on(backend_name(), backend, "csr", a, single);
  EigenOptions options;
  options.method = std::get<1>(GetParam()).method;
  options.max_iterations = 2;
  const EigenResult result = lowest_eigenpairs(*op, backend, p_space_of(a, 10), options);
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  expect_eigenpairs(a, backend, result, 1.0);
}

TEST_P(Eigensolver, finds_all_states_of_the_identity) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = from_dense(HostMatrix::Identity(40, 40));
  EigenOptions options;
  options.states = 5;
  const EigenResult result = solve(backend, a, p_space_of(a, 3), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  for (const double e : result.energies) EXPECT_NEAR(e, 1.0, 1e-12);
}

/// What the application gives Davidson: with the sectors.
PSpace p_space_with_sectors(const CsrMatrix& a, int size) {
  PSpace p = p_space_of(a, size);
  p.sectors = connected_sectors(a.row_offsets, a.column_indices);
  return p;
}

/// Copies of a block, coupled to nothing, their rows interleaved.
CsrMatrix interleaved_copies(const HostMatrix& block, int copies) {
  const auto n = static_cast<int>(block.rows());
  HostMatrix dense = HostMatrix::Zero(n * copies, n * copies);
  for (int c = 0; c < copies; ++c) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) dense(i * copies + c, j * copies + c) = block(i, j);
    }
  }
  return from_dense(dense);
}

class DavidsonOnSectors : public ::testing::TestWithParam<std::string> {
 protected:
  /// Solves, and expects the lowest eigenpairs, verified, for seeds 1 to 4.
  void expect_solved(const CsrMatrix& a, const PSpace& p, EigenOptions options) {
    CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
    const auto op = operator_on(GetParam(), backend, "csr", a);
    for (options.seed = 1; options.seed <= 4; ++options.seed) {
      SCOPED_TRACE("seed " + std::to_string(options.seed));
      const EigenResult result = lowest_eigenpairs(*op, backend, p, options);
      EXPECT_EQ(result.status, SolveStatus::converged);
      EXPECT_TRUE(result.verified);
      expect_lowest(a, result, 1e-9);
      expect_eigenpairs(a, backend, result, options.tolerance);
      expect_in_one_sector(backend, p, result);
    }
  }

 private:
  static void expect_in_one_sector(Backend& backend, const PSpace& p, const EigenResult& result) {
    if (p.sectors.sizes.size() > 32) return;
    const HostMatrix x = backend.download(result.vectors.view());
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        if (p.sectors.labels[i] != result.sectors[j]) {
          EXPECT_EQ(x(i, j), 0.0);
        }
      }
    }
  }
};

TEST_P(DavidsonOnSectors, finds_every_copy_of_a_degenerate_state) {
  const CsrMatrix a = interleaved_copies(to_dense(ci_like_matrix(80, 4, 10)), 3);
  for (const int states : {1, 2, 6, 8}) {
    SCOPED_TRACE(states);
    EigenOptions options;
    options.states = states;
    expect_solved(a, p_space_with_sectors(a, 30), options);
  }
}

TEST_P(DavidsonOnSectors, takes_a_lowest_determinant_that_is_coupled_to_nothing) {
  HostMatrix dense = to_dense(ci_like_matrix(120, 5, 3));
  dense.row(7).setZero();
  dense.col(7).setZero();
  dense(7, 7) = -10.0;
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 3;
  expect_solved(a, p_space_with_sectors(a, 10), options);
}

TEST_P(DavidsonOnSectors, reaches_a_sector_that_the_p_space_misses) {
  HostMatrix dense = HostMatrix::Zero(60, 60);
  dense.topLeftCorner(40, 40) = to_dense(ci_like_matrix(40, 4, 11));
  dense.bottomRightCorner(20, 20).setConstant(-1.0);
  dense.bottomRightCorner(20, 20).diagonal().setConstant(6.0);
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.states = 2;
  expect_solved(a, p_space_with_sectors(a, 10), options);
}

TEST_P(DavidsonOnSectors, takes_diagonal_matrices_of_more_sectors_than_it_tells_apart) {
  const CsrMatrix identity = from_dense(HostMatrix::Identity(60, 60));
  HostMatrix dense = HostMatrix::Zero(90, 90);
  for (int i = 0; i < 90; ++i) dense(i, i) = (i * 37) % 90 - 20.0;
  const CsrMatrix a = from_dense(dense);
  for (const int states : {1, 5, 40, 60}) {
    SCOPED_TRACE(states);
    EigenOptions options;
    options.states = states;
    expect_solved(identity, p_space_with_sectors(identity, 10), options);
    expect_solved(a, p_space_with_sectors(a, 10), options);
  }
}

TEST_P(DavidsonOnSectors, takes_nearly_as_many_states_as_rows) {
  const CsrMatrix a = interleaved_copies(to_dense(ci_like_matrix(10, 3, 5)), 2);
  for (const int states : {17, 19, 20}) {
    for (const int p : {2, 20}) {
      SCOPED_TRACE(std::to_string(states) + " states, P of " + std::to_string(p));
      EigenOptions options;
      options.states = states;
      expect_solved(a, p_space_with_sectors(a, p), options);
    }
  }
}

TEST_P(DavidsonOnSectors, searches_all_sectors_when_more_states_are_asked_for) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  // The second state lies in a sector whose first start vector is in the basis already.
  HostMatrix dense = HostMatrix::Zero(80, 80);
  dense.topLeftCorner(40, 40) = to_dense(ci_like_matrix(40, 4, 11));
  dense.bottomRightCorner(40, 40).setConstant(-0.25);
  dense.bottomRightCorner(40, 40).diagonal() = HostVector::LinSpaced(40, 2.0, 4.0);
  const CsrMatrix a = from_dense(dense);
  const PSpace p = p_space_with_sectors(a, 5);
  const auto op = operator_on(GetParam(), backend, "csr", a);
  SolverState kept;
  std::vector<std::pair<HostMatrix, HostMatrix>> pairs;
  EigenOptions options;
  options.probe = false;
  options.checkpoint = [&](int, bool last, const std::function<SolverState()>& state) {
    if (!last) return;
    kept = state();
    pairs.resize(kept.vectors);
    for (int j = 0; j < kept.vectors; ++j) kept.read(j, pairs[j].first, pairs[j].second);
  };
  lowest_eigenpairs(*op, backend, p, options);
  kept.read = [&](int j, HostMatrix& x, HostMatrix& ax) { std::tie(x, ax) = pairs.at(j); };
  EigenOptions more;
  more.begin_from = &kept;
  for (const int states : {2, 4}) {
    more.states = states;
    const EigenResult result = lowest_eigenpairs(*op, backend, p, more);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_TRUE(result.verified);
    expect_lowest(a, result, 1e-9);
  }
}

TEST_P(DavidsonOnSectors, serves_all_sectors_with_one_product) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const HostMatrix block = to_dense(ci_like_matrix(200, 5, 12));
  const CsrMatrix one = from_dense(block), three = interleaved_copies(block, 3);
  EigenOptions options;
  const auto products = [&](const CsrMatrix& a, int states, int p) {
    options.states = states;
    const auto op = operator_on(GetParam(), backend, "csr", a);
    return lowest_eigenpairs(*op, backend, p_space_with_sectors(a, p), options)
        .operator_applications;
  };
  EXPECT_LE(products(three, 3, 60), products(one, 1, 20) + 2);
}

TEST_P(DavidsonOnSectors, says_when_it_has_not_verified) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  const CsrMatrix a = ci_like_matrix(200, 5, 13);
  EigenOptions options;
  options.probe = false;
  const auto op = operator_on(GetParam(), backend, "csr", a);
  const EigenResult result = lowest_eigenpairs(*op, backend, p_space_with_sectors(a, 20), options);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_FALSE(result.verified);
  EXPECT_EQ(result.probe_applications, 0);
}

TEST_P(DavidsonOnSectors, finds_a_root_that_the_start_vectors_hide) {
  // Within one block: an exact symmetry that no start vector has. Rows i and n + i mirror each
  // other; the lowest state is odd, and P sees even vectors lowest.
  const int n = 60;
  const HostMatrix even = to_dense(ci_like_matrix(n, 5, 14));
  HostMatrix odd = to_dense(ci_like_matrix(n, 5, 15));
  odd(n - 1, n - 1) = -2.0;
  odd.row(n - 1).setConstant(-0.35);
  odd.col(n - 1).setConstant(-0.35);
  odd(n - 1, n - 1) = -1.0;
  HostMatrix dense(2 * n, 2 * n);
  dense << 0.5 * (even + odd), 0.5 * (even - odd), 0.5 * (even - odd), 0.5 * (even + odd);
  const CsrMatrix a = from_dense(dense);
  EigenOptions options;
  options.guard = 0;
  expect_solved(a, p_space_with_sectors(a, 6), options);
}

TEST_P(DavidsonOnSectors, allocates_nothing_of_length_n_once_it_iterates) {
  CISOLVE_BACKEND_OR_SKIP(backend, GetParam());
  if (GetParam() != "cpu") GTEST_SKIP() << "counted on the CPU";
  // So long that one vector stands out from the small matrices: 400 kB.
  const Index n = 50000;
  CsrMatrix a = matrix_of_rows(n, n, [](Index i) {
    return i == 0       ? std::vector<Index>{0, 1}
           : i + 1 == n ? std::vector<Index>{i - 1, i}
                        : std::vector<Index>{i - 1, i, i + 1};
  });
  for (Index i = 0; i < n; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      a.values[e] = a.column_indices[e] == i ? 1e-3 * i : 0.05;
    }
  }
  const auto op = operator_on(GetParam(), backend, "csr", a);
  EigenOptions options;
  options.states = 3;
  options.probe = false;
  std::size_t before = 0, most = 0;
  int iterations = 0;
  const auto resident = [] {
    return static_cast<std::size_t>(mallinfo2().uordblks + mallinfo2().hblkhd);
  };
  lowest_eigenpairs(*op, backend, p_space_with_sectors(a, 20), options,
                    [&](const EigenIteration& i) {
                      if (i.iteration == 1) before = resident();
                      most = std::max(most, resident());
                      iterations = i.iteration;
                      return true;
                    });
  EXPECT_GT(iterations, 5);
  EXPECT_LT(most, before + n * sizeof(double));
}

INSTANTIATE_TEST_SUITE_P(All, DavidsonOnSectors, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

INSTANTIATE_TEST_SUITE_P(All, Eigensolver,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(methods)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
                         });

TEST(EigenOptions, refuse_more_states_than_rows_and_none) {
  EigenOptions options;
  options.states = 5;
  EXPECT_THROW(block_size(options, 4), InputError);
  options.states = 0;
  EXPECT_THROW(block_size(options, 4), InputError);
}

TEST(EigenOptions, refuse_a_basis_below_the_smallest_which_the_message_names) {
  EigenOptions options;
  options.states = 4;
  options.guard = 2;
  EXPECT_EQ(smallest_basis(options, 100), 14);
  options.max_basis = 14;
  EXPECT_EQ(basis_size(options, 100), 14);
  options.max_basis = 13;
  try {
    basis_size(options, 100);
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "solver.max_basis: found 13, expected at least 14 for 4 states and 2 guard vectors");
  }
  // A small matrix has no more vectors than rows.
  EXPECT_EQ(smallest_basis(options, 9), 9);
  options.max_basis = 9;
  EXPECT_EQ(basis_size(options, 9), 9);
}

TEST(PSpaceRows, are_the_lowest_and_take_degenerate_shells_whole) {
  const std::vector<double> d{3, 1, 2, 2, 2 + 1e-10, 5, 0};
  EXPECT_EQ(lowest_diagonal_rows(d, 2), (std::vector<Index>{1, 6}));
  EXPECT_EQ(lowest_diagonal_rows(d, 3), (std::vector<Index>{1, 2, 3, 4, 6}));
  EXPECT_EQ(lowest_diagonal_rows(d, 100).size(), 7u);
  // A shell past twice the size is cut, not the whole space.
  EXPECT_EQ(lowest_diagonal_rows(std::vector<double>(1000, 1.0), 10).size(), 20u);
}

TEST(SymmetricEigen, solves_by_count_and_refuses_nan) {
  const HostMatrix a{{2, 1, 0}, {1, 2, 0}, {0, 0, -1}};
  const SymmetricEigen all = symmetric_eigen(a);
  EXPECT_NEAR(all.values[0], -1.0, 1e-14);
  EXPECT_NEAR(all.values[2], 3.0, 1e-14);
  EXPECT_LE((a * all.vectors - all.vectors * all.values.asDiagonal()).norm(), 1e-13);
  const SymmetricEigen lowest = symmetric_eigen(a, 2);
  EXPECT_EQ(lowest.values.size(), 2);
  EXPECT_EQ(lowest.vectors.cols(), 2);
  EXPECT_THROW(symmetric_eigen(HostMatrix::Constant(2, 2, std::nan(""))), std::runtime_error);
}

}  // namespace
}  // namespace cisolve
