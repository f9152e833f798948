// Iterations of every linear solver on the Hamiltonian of N2 in STO-3G, and what was forecast.
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "hamiltonian/integrals/fcidump/fcidump.hpp"
#include "hamiltonian/matrix/ci_matrix.hpp"
#include "solvers/linear/linear_problem.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/support.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

constexpr double ground = -107.6541224478;  // tests/data/references.yaml

const std::shared_ptr<const CsrMatrix>& hamiltonian() {
  static const auto matrix = [] {
    const Integrals integrals = read_fcidump(test_data() / "n2_sto3g.fcidump");
    const CiSpace space = make_ci_space(integrals, CiSpaceOptions());
    const CiMatrixBuilder builder(integrals, space);
    return std::make_shared<const CsrMatrix>(builder.fill(builder.count()));
  }();
  return matrix;
}

LinearResult solve(LinearMethod method, double from_ground, bool random) {
  const auto backend = make_cpu_backend();
  const auto a = make_operator("csr", hamiltonian(), *backend);
  MultiVector b(*backend, a->rows(), 1), x(*backend, a->rows(), 1);
  if (random) {
    backend->fill_random(7, 0, b.view());
  } else {
    backend->fill(1.0, b.view());
  }
  backend->fill(0.0, x.view());
  LinearOptions options;
  options.method = method;
  options.symmetric = true;
  options.forecast = true;
  options.shift = ground + from_ground;
  return solve_linear(*a, *backend, b.view(), x.view(), options);
}

std::optional<int> forecast_of(const LinearResult& result) {
  for (const LinearForecast& one : result.forecasts) {
    if (one.method == result.method) return one.iterations;
  }
  return std::nullopt;
}

TEST(LinearCounts, StayWithinTheirLimitsAndNearTheirForecasts) {
  const std::map<LinearMethod, std::map<double, int>> most{
      {LinearMethod::chebyshev_jacobi, {{-1.0, 18}, {-0.1, 40}, {-0.01, 115}}},
      {LinearMethod::anderson_jacobi, {{-1.0, 20}, {-0.1, 35}, {-0.01, 55}}},
      {LinearMethod::cg, {{-1.0, 17}, {-0.1, 26}, {-0.01, 30}}}};
  for (const auto& [method, limits] : most) {
    for (const auto& [from_ground, limit] : limits) {
      for (const bool random : {false, true}) {
        const LinearResult result = solve(method, from_ground, random);
        const auto forecast = forecast_of(result);
        SCOPED_TRACE(to_string(method) + " " + std::to_string(from_ground) +
                     (random ? " random" : " ones"));
        EXPECT_EQ(result.status, SolveStatus::converged);
        EXPECT_LE(result.relative_residual, 1e-10);
        EXPECT_LE(result.iterations, limit);
        EXPECT_EQ(result.setup_applications, 40);
        ASSERT_TRUE(forecast.has_value());
        EXPECT_NEAR(*forecast, result.iterations, 0.3 * result.iterations);
      }
    }
  }
}

TEST(LinearCounts, JacobiDivergesNearTheGroundStateAsForecast) {
  for (const double from_ground : {-0.1, -0.01}) {
    const LinearResult result = solve(LinearMethod::jacobi, from_ground, false);
    EXPECT_EQ(result.status, SolveStatus::diverged);
    EXPECT_LE(result.iterations, 50);
    EXPECT_FALSE(forecast_of(result).has_value());
    EXPECT_LE(result.relative_residual, 1.0);
  }
  const LinearResult result = solve(LinearMethod::jacobi, -1.0, false);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(forecast_of(result).value_or(0), result.iterations, 0.3 * result.iterations);
}

}  // namespace
}  // namespace cisolve
