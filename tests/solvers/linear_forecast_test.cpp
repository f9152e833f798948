// Forecasts on Laplacians, whose lowest eigenvalues the Lanczos steps do not come to.

#include <cmath>
#include <map>
#include <vector>

#include "tests/support/linear_systems.hpp"

namespace cisolve {
namespace {

using namespace cisolve::testing;

/// −Δ on a grid of n^dimensions points, zero or flat (Neumann) at its edge.
CsrMatrix laplacian_of_grid(Index n, int dimensions, bool neumann) {
  CsrMatrix a;
  a.rows = a.columns = static_cast<Index>(std::lround(std::pow(n, dimensions)));
  a.row_offsets.push_back(0);
  for (Index i = 0; i < a.rows; ++i) {
    std::map<Index, double> row;
    for (Index step = 1; step < a.rows; step *= n) {
      for (const Index side : {-1, 1}) {
        const Index place = i / step % n + side;
        const bool inside = place >= 0 && place < n;
        if (inside) row[i + side * step] = -1.0;
        if (inside || !neumann) row[i] += 1.0;
      }
    }
    for (const auto& [column, value] : row) {
      a.column_indices.push_back(column);
      a.values.push_back(value);
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

struct Grid {
  Index n;
  int dimensions;
  bool neumann;
};

TEST(LinearForecast, is_within_a_factor_of_two_on_laplacians) {
  for (const Grid& grid : {Grid{100, 1, false}, Grid{300, 1, false}, Grid{400, 1, false},
                           Grid{300, 1, true}, Grid{20, 2, false}, Grid{32, 2, false},
                           Grid{50, 2, false}, Grid{32, 2, true}, Grid{12, 3, false}}) {
    const auto backend = make_cpu_backend();
    const CsrMatrix matrix = laplacian_of_grid(grid.n, grid.dimensions, grid.neumann);
    const auto a = make_operator("csr", std::make_shared<const CsrMatrix>(matrix), *backend);
    for (const bool random : {true, false}) {
      if (grid.neumann && !random) continue;  // ones are what is outside of the range
      HostMatrix host = random ? random_block(matrix.rows, 1, 3) : HostMatrix::Ones(matrix.rows, 1);
      if (grid.neumann) host.array() -= host.mean();
      for (const LinearMethod method : {LinearMethod::cg, LinearMethod::minres}) {
        SCOPED_TRACE(to_string(method) + " " + std::to_string(grid.n) + "^" +
                     std::to_string(grid.dimensions) + (grid.neumann ? " Neumann" : "") +
                     (random ? " random" : " ones"));
        const auto b = on(*backend, host);
        auto x = on(*backend, HostMatrix::Zero(matrix.rows, 1));
        LinearOptions options;
        options.symmetric = true;
        options.forecast = true;
        options.method = method;
        options.max_iterations = 3000;
        const LinearResult result = solve_linear(*a, *backend, b.view(), x.view(), options);
        EXPECT_EQ(result.status, SolveStatus::converged);
        EXPECT_EQ(result.setup_applications, 40);
        for (const LinearForecast& one : result.forecasts) {
          if (one.method != method) continue;
          EXPECT_LE(one.iterations.value_or(0), 2 * result.iterations);
          EXPECT_GE(2 * one.iterations.value_or(0), result.iterations);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cisolve
