// Corrections by polynomials of the matrix, where its diagonal says nothing of it.

#include "solvers/eigen/steps/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/host_matrix.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// The Laplacians of squares of side² points each, one beside the other, the later ones raised.
CsrMatrix squares(int side, const std::vector<double>& raised) {
  const Index points = side * side, n = points * static_cast<Index>(raised.size());
  std::vector<Offset> offsets{0};
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    const Index x = i % points % side, y = i % points / side;
    const auto add = [&](bool there, Index column, double value) {
      if (!there) return;
      columns.push_back(column);
      values.push_back(value);
    };
    add(y > 0, i - side, -1.0);
    add(x > 0, i - 1, -1.0);
    add(true, i, 4.0 + raised[i / points]);
    add(x + 1 < side, i + 1, -1.0);
    add(y + 1 < side, i + side, -1.0);
    offsets.push_back(static_cast<Offset>(values.size()));
  }
  CsrMatrix a;
  a.rows = a.columns = n;
  a.row_offsets = {offsets.begin(), offsets.end()};
  a.column_indices = {columns.begin(), columns.end()};
  a.values = {values.begin(), values.end()};
  return a;
}

std::vector<double> energies_of_squares(int side, const std::vector<double>& raised, int count) {
  const auto line = [&](int j) { return 2.0 - 2.0 * std::cos(j * std::numbers::pi / (side + 1)); };
  std::vector<double> energies;
  for (const double more : raised) {
    for (int i = 1; i <= side; ++i) {
      for (int j = 1; j <= side; ++j) energies.push_back(line(i) + line(j) + more);
    }
  }
  std::ranges::sort(energies);
  energies.resize(count);
  return energies;
}

class Polynomials : public Eigensolver {
 protected:
  void expect_few_iterations(int side, const std::vector<double>& raised, int most) {
    CISOLVE_BACKEND_OR_SKIP(backend, backend_name());
    const CsrMatrix a = squares(side, raised);
    EigenOptions options = thorough_options();
    options.states = 6;
    const PSpace p = p_space_with_sectors(a, 20);
    const EigenResult result = solve(backend, a, p, options);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_TRUE(result.verified);
    EXPECT_LE(result.iterations, most);
    expect_eigenpairs(a, backend, result, options.tolerance);
    const std::vector<double> exact = energies_of_squares(side, raised, options.states);
    for (int j = 0; j < options.states; ++j) EXPECT_NEAR(result.energies[j], exact[j], 1e-9) << j;
  }
};

TEST_P(Polynomials, brings_the_states_of_a_square_in_few_iterations) {
  expect_few_iterations(50, {0.0}, 40);
}

TEST_P(Polynomials, serves_every_block_of_the_matrix) {
  expect_few_iterations(30, {0.0, 1e-3, 0.5}, 40);
}

INSTANTIATE_TEST_SUITE_P(All, Polynomials,
                         ::testing::Combine(::testing::ValuesIn(backend_names()),
                                            ::testing::Values(methods[0], methods[1])),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace cisolve
