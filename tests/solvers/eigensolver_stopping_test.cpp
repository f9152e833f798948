// When solves end, and what they then say of their states: by residual, by energy, cut short, at
// the end of double or single precision.
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

class EigensolverStopping : public Eigensolver {};

TEST_P(EigensolverStopping, stops_by_the_energy_where_asked_to) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 1);
  const auto solved = [&](StopBy by, double tolerance, double energy_tolerance) {
    EigenOptions options = thorough_options();
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

TEST_P(EigensolverStopping, ends_where_rounding_does_and_says_so) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  // Several matrices: where rounding ends differs by a factor from one to the next.
  for (const unsigned seed : {16, 17, 18, 19}) {
    SCOPED_TRACE(seed);
    HostMatrix dense = to_dense(ci_like_matrix(200, 6, seed));
    dense.diagonal().array() -= 100.0;
    const CsrMatrix a = from_dense(dense);
    EigenOptions options = thorough_options();
    options.states = 2;
    options.tolerance = 1e-17;
    const EigenResult result = solve(backend, a, p_space_of(a, 20), options);
    EXPECT_EQ(result.status, SolveStatus::stagnated);
    EXPECT_FALSE(result.converged[0]);
    EXPECT_GT(result.attainable_residual, 1e-14);
    EXPECT_LT(result.attainable_residual, 3e-11);
    for (const double norm : result.residual_norms) EXPECT_LE(norm, 2 * result.attainable_residual);
    EXPECT_LT(result.iterations, 200);
  }
}

TEST_P(EigensolverStopping, ends_where_rounding_does_if_the_diagonal_tells_nothing) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  HostMatrix dense = 1e3 * to_dense(ci_like_matrix(200, 6, 16));
  for (const double diagonal : {0.0, 1.0}) {
    SCOPED_TRACE(diagonal);
    dense.diagonal().setConstant(diagonal);
    const CsrMatrix a = from_dense(dense);
    EigenOptions options = thorough_options();
    options.method = std::get<1>(GetParam()).method;
    options.states = 2;
    options.tolerance = 1e-17;
    const EigenResult result = solve(backend, a, p_space_of(a, 20), options);
    EXPECT_EQ(result.status, SolveStatus::stagnated);
    EXPECT_GT(result.attainable_residual, 1e-12);
    EXPECT_LT(result.iterations, 1000);
  }
}

TEST_P(EigensolverStopping, stops_by_the_energy_where_a_start_vector_is_exact) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(40, 5, 4);
  for (const StopBy by : {StopBy::energy, StopBy::both}) {
    EigenOptions options = thorough_options();
    options.stop_by = by;
    const EigenResult result = solve(backend, a, p_space_of(a, 40), options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    expect_lowest(a, result, 1e-10);
  }
}

TEST_P(EigensolverStopping, begins_in_single_precision_and_ends_in_double) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 18);
  FormatOptions single;
  single.off_diagonal = Precision::float32;
  EigenOptions options = thorough_options();
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

TEST_P(EigensolverStopping, cut_short_in_single_precision_gives_residuals_in_double) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 18);
  FormatOptions single;
  single.off_diagonal = Precision::float32;
  const auto op = operator_on(backend_name(), backend, "csr", a, single);
  EigenOptions options = thorough_options();
  options.method = std::get<1>(GetParam()).method;
  options.max_iterations = 2;
  KeptState kept;
  options.checkpoint = kept.hook();
  const EigenResult result = lowest_eigenpairs(*op, backend, p_space_of(a, 10), options);
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  expect_eigenpairs(a, backend, result, 1.0);
  // Its images are of the rounded matrix, so its vectors alone are gone on from.
  EXPECT_FALSE(kept.state().exact_images);
  EigenOptions whole;
  whole.begin_from = &kept.state();
  whole.tolerance = 1e-9;
  const EigenResult rest = solve(backend, a, p_space_of(a, 10), whole);
  EXPECT_EQ(rest.status, SolveStatus::converged);
  expect_lowest(a, rest, 1e-12);
}

TEST_P(EigensolverStopping, never_calls_an_unfinished_solve_converged) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 6);
  EigenOptions options = thorough_options();
  options.states = 2;
  options.max_iterations = 2;
  const EigenResult result = solve(backend, a, p_space_of(a, 5), options);
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  EXPECT_EQ(result.energies.size(), 2u);
  EXPECT_FALSE(result.converged[0] && result.converged[1]);
  // The residuals reported are true all the same.
  expect_eigenpairs(a, backend, result, std::numeric_limits<double>::infinity());
}

TEST_P(EigensolverStopping, stops_when_its_observer_says_so) {
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

TEST_P(EigensolverStopping, remembers_a_stop_asked_for_before_there_are_enough_vectors) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(400, 6, 7);
  EigenOptions options = thorough_options();
  options.states = 4;
  const EigenResult result = solve(backend, a, p_space_of(a, 5), options,
                                   [](const EigenIteration& i) { return i.iteration != 1; });
  EXPECT_EQ(result.status, SolveStatus::cancelled);
  EXPECT_LE(result.iterations, 4);
  expect_eigenpairs(a, backend, result, std::numeric_limits<double>::infinity());
}

/// Operator whose products take long once there is a search for lower states.
class DearSearch final : public ForwardingOperator {
 public:
  explicit DearSearch(LinearOperator& inner) : inner_(inner) {}
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (dear) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    inner().apply(alpha, x, beta, y);
  }
  bool dear = false;

 private:
  LinearOperator& inner() const override { return inner_; }
  LinearOperator& inner_;
};

TEST(SearchForLowerStates, MayTakeAsManyProductsAsTheSolveOrAPartOfThem) {
  const auto backend = make_cpu_backend();
  const CsrMatrix a = ci_like_matrix(2000, 6, 3);
  const auto made = operator_on("cpu", *backend, "csr", a);
  for (const auto& [verify, part] : {std::pair{Verify::standard, 1.0}, {Verify::quick, 0.25}}) {
    DearSearch op(*made);
    EigenOptions options;
    options.states = 3;
    options.tolerance = 1e-11;
    options.verify = verify;
    const EigenResult result =
        lowest_eigenpairs(op, *backend, p_space_of(a, 4), options, [&](const EigenIteration& i) {
          op.dear = i.exclusion.has_value();
          return true;
        });
    const auto solve = static_cast<double>(result.operator_applications);
    const auto search = static_cast<double>(result.exclusion.products);
    ASSERT_GT(solve, 90.0) << "in half a second there is time for as many";
    EXPECT_TRUE(result.verified || search > part * solve) << search << " of " << solve;
    const bool in_time = result.seconds - result.exclusion.seconds < 1.0;  // a busy machine
    if (in_time) {
      EXPECT_LT(search, 2.0 * part * solve);
    }
  }
}

/// A killed solve that goes on ends as it would have: with as long a search.
TEST(SearchForLowerStates, MayTakeAsManyProductsAsTheSolveThatItGoesOnFrom) {
  const auto backend = make_cpu_backend();
  const CsrMatrix a = ci_like_matrix(2000, 6, 3);
  const auto made = operator_on("cpu", *backend, "csr", a);
  EigenOptions options;
  options.states = 3;
  options.tolerance = 1e-9;
  options.max_iterations = 28;
  KeptState kept;
  options.checkpoint = kept.hook();
  lowest_eigenpairs(*made, *backend, p_space_of(a, 4), options);
  DearSearch op(*made);
  options.checkpoint = {};
  options.max_iterations = 1000;
  options.begin_from = &kept.state();
  const EigenResult result =
      lowest_eigenpairs(op, *backend, p_space_of(a, 4), options, [&](const EigenIteration& i) {
        op.dear = i.exclusion.has_value();
        return true;
      });
  const std::int64_t before = kept.state().operator_applications;
  EXPECT_GT(before, 2 * (result.operator_applications - before));
  EXPECT_GT(before, 40) << "in half a second there is time for as many";
  EXPECT_TRUE(result.verified || result.exclusion.products > before);
}

INSTANTIATE_TEST_SUITE_P(All, EigensolverStopping,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(methods)),
                         name_of_method_test);

}  // namespace
}  // namespace cisolve
