#include "solvers/eigen_problem.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace cisolve {

void require_valid(const LinearOperator& a, const EigenOptions& options) {
  if (a.rows() != a.columns()) {
    throw InputError("the matrix has " + std::to_string(a.rows()) + " rows and " +
                     std::to_string(a.columns()) + " columns; eigenpairs need a square one");
  }
  if (!(options.tolerance > 0.0)) {
    throw InputError("tolerance: " + std::to_string(options.tolerance) + ", expected above 0");
  }
  block_size(options, a.rows());
}

int block_size(const EigenOptions& options, Index rows) {
  if (options.states < 1) {
    throw InputError("states: " + std::to_string(options.states) + ", expected at least 1");
  }
  if (options.states > rows) {
    throw InputError("states: " + std::to_string(options.states) + " are wanted of a matrix with " +
                     std::to_string(rows) + " rows");
  }
  const Index guard = options.guard >= 0 ? options.guard : 1 + options.states / 2;
  return options.states + std::min<Index>(guard, rows - options.states);
}

int basis_size(const EigenOptions& options, Index rows) {
  const int block = block_size(options, rows);
  const std::int64_t wanted = options.max_basis > 0
                                  ? std::max<std::int64_t>(options.max_basis, 2ll * block)
                                  : std::max<std::int64_t>(4ll * block, 24);
  return static_cast<int>(std::min<std::int64_t>(wanted, rows));
}

std::size_t vector_bytes(const EigenOptions& options, Index rows) {
  // Basis and images; blocks of new vectors, their images, residuals and scratch, and a restart's
  // of two; the diagonal; the result. Lanczos takes less.
  const std::size_t vectors = 2 * static_cast<std::size_t>(basis_size(options, rows)) +
                              6 * static_cast<std::size_t>(block_size(options, rows)) + 1 +
                              static_cast<std::size_t>(options.states);
  return vectors * static_cast<std::size_t>(rows) * sizeof(double);
}

}  // namespace cisolve
