// matrix [ROWS]: the lowest eigenvalue of a sparse matrix in CSR, and a linear system with it.
#include <cisolve/cisolve.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

int main(int argc, char** argv) {
  try {
    // Second differences: 2 on the diagonal, -1 beside it.
    const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
    std::vector<std::int64_t> row_offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; ++i) {
      for (const std::int64_t j : {i - 1, i, i + 1}) {
        if (j < 0 || j >= n) continue;
        columns.push_back(static_cast<std::int32_t>(j));
        values.push_back(i == j ? 2.0 : -1.0);
      }
      row_offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    const auto a = cisolve::Hamiltonian::from_csr({n, n, row_offsets, columns, values});
    cisolve::EigenSettings settings;
    settings.tolerance = 1e-8;
    const auto found = cisolve::lowest_eigenstates(a, settings);
    const double exact = 2.0 - 2.0 * std::cos(std::acos(-1.0) / static_cast<double>(n + 1));
    std::printf("lowest %.12f, exact %.12f\n", found.states[0].energy, exact);

    // (A + 1) x = b.
    const std::vector<double> b(static_cast<std::size_t>(n), 1.0);
    const auto solution = cisolve::solve_system(a + 1.0, {b});
    std::printf("x_1 = %.10f after %d iterations\n", solution.x[0], solution.iterations);
    return std::abs(found.states[0].energy - exact) < 1e-9 &&
                   solution.status == cisolve::SolveStatus::converged
               ? 0
               : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "matrix: %s\n", error.what());
    return 1;
  }
}
