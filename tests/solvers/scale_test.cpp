// A solve of 2ˢA is one of A, but for the exponents: the same bits, counts and words.
#include <bit>
#include <cmath>

#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/solver_state.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

CsrMatrix times(double factor, CsrMatrix a) {
  for (double& value : a.values) value *= factor;
  return a;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values, double factor) {
  std::vector<std::uint64_t> made;
  for (const double value : values) made.push_back(std::bit_cast<std::uint64_t>(value * factor));
  return made;
}

std::uint64_t bits(double value, double factor = 1.0) {
  return std::bit_cast<std::uint64_t>(value * factor);
}

void expect_same(const EigenResult& one, const EigenResult& scaled, double back) {
  EXPECT_EQ(bits(one.energies, 1.0), bits(scaled.energies, back));
  EXPECT_EQ(bits(one.residual_norms, 1.0), bits(scaled.residual_norms, back));
  EXPECT_EQ(bits(one.energy_changes, 1.0), bits(scaled.energy_changes, back));
  EXPECT_EQ(bits(one.exclusion.gap), bits(scaled.exclusion.gap, back));
  EXPECT_EQ(bits(one.attainable_residual), bits(scaled.attainable_residual, back));
  EXPECT_EQ(one.status, scaled.status);
  EXPECT_EQ(one.verified, scaled.verified);
  EXPECT_EQ(one.converged, scaled.converged);
  EXPECT_EQ(one.iterations, scaled.iterations);
  EXPECT_EQ(one.operator_applications, scaled.operator_applications);
  EXPECT_EQ(one.probe_applications, scaled.probe_applications);
  EXPECT_EQ(one.exclusion.cut_short, scaled.exclusion.cut_short);
}

class Scale : public Eigensolver {};

TEST_P(Scale, of_the_matrix_changes_nothing_but_exponents) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(300, 6, 1), blocks = ci_like_matrix(60, 3, 5);
  for (const CsrMatrix* matrix : {&a, &blocks}) {
    EigenOptions options = thorough_options();
    options.states = 3;
    const EigenResult one = solve(backend, *matrix, p_space_with_sectors(*matrix, 20), options);
    EXPECT_EQ(one.status, SolveStatus::converged);
    EXPECT_TRUE(one.verified);
    for (const int s : {-500, -50, -17, 3, 50, 500}) {
      SCOPED_TRACE(s);
      const CsrMatrix b = times(std::ldexp(1.0, s), *matrix);
      options.scale = std::ldexp(1.0, s);
      expect_same(one, solve(backend, b, p_space_with_sectors(b, 20), options),
                  std::ldexp(1.0, -s));
    }
  }
}

TEST_P(Scale, of_tolerances_that_are_given_is_the_callers) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(200, 6, 2), b = times(0x1p-40, a);
  EigenOptions options = thorough_options();
  options.tolerance = 3e-5;
  options.stop_by = StopBy::both;
  options.energy_tolerance = 2e-8;
  const EigenResult one = solve(backend, a, p_space_of(a, 20), options);
  options.scale = 0x1p-40;
  options.tolerance = 3e-5 * 0x1p-40;
  options.energy_tolerance = 2e-8 * 0x1p-40;
  const EigenResult scaled = solve(backend, b, p_space_of(b, 20), options);
  expect_same(one, scaled, 0x1p40);
  EXPECT_EQ(scaled.tolerance, 3e-5 * 0x1p-40);
  EXPECT_EQ(scaled.scale, 0x1p-40);
}

TEST_P(Scale, is_that_of_what_is_shown_and_checkpointed) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(200, 6, 3), b = times(0x1p30, a);
  EigenOptions options = thorough_options();
  options.states = 2;
  options.scale = 0x1p30;
  double shown = 0.0;
  KeptState kept;
  options.checkpoint = kept.hook();
  const EigenResult result =
      solve(backend, b, p_space_of(b, 20), options, [&](const EigenIteration& iteration) {
        shown = iteration.energies[0];
        return true;
      });
  EXPECT_EQ(shown, result.energies[0]);
  HostMatrix x, ax;
  kept.state().read(0, x, ax);
  EXPECT_NEAR(x.col(0).dot(ax.col(0)) / result.energies[0], 1.0, 1e-12);
  // Gone on from, it is done.
  options.checkpoint = {};
  options.begin_from = &kept.state();
  options.verify = Verify::off;
  const EigenResult resumed = solve(backend, b, p_space_of(b, 20), options);
  EXPECT_EQ(resumed.status, SolveStatus::converged);
  EXPECT_NEAR(resumed.energies[1] / result.energies[1], 1.0, 1e-12);
}

TEST_P(Scale, that_is_no_power_of_two_is_refused) {
  CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
  const CsrMatrix a = ci_like_matrix(50, 4, 4);
  EigenOptions options;
  for (const double scale : {3.0, 0.0, -2.0}) {
    options.scale = scale;
    EXPECT_THROW(solve(backend, a, p_space_of(a, 10), options), InputError);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scale,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::ValuesIn(methods)),
                         name_of_method_test);

}  // namespace
}  // namespace cisolve
