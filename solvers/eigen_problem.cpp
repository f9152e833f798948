#include "solvers/eigen_problem.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace cisolve {

int block_size(const EigenOptions& options, Index rows) {
  if (options.states < 1) {
    throw InputError("states: " + std::to_string(options.states) + ", expected at least 1");
  }
  if (options.states > rows) {
    throw InputError("states: " + std::to_string(options.states) + " are wanted of a matrix with " +
                     std::to_string(rows) + " rows");
  }
  const int guard = options.guard >= 0 ? options.guard : 1 + options.states / 2;
  return std::min<Index>(options.states + guard, rows);
}

int basis_size(const EigenOptions& options, Index rows) {
  const int block = block_size(options, rows);
  const int wanted =
      options.max_basis > 0 ? std::max(options.max_basis, 2 * block) : std::max(4 * block, 24);
  return std::min<Index>(wanted, rows);
}

std::size_t vector_bytes(const EigenOptions& options, Index rows) {
  // Basis and images; and five blocks: new vectors, their images, residuals, restart, scratch.
  const std::size_t vectors = 2 * static_cast<std::size_t>(basis_size(options, rows)) +
                              5 * static_cast<std::size_t>(block_size(options, rows));
  return vectors * static_cast<std::size_t>(rows) * sizeof(double);
}

}  // namespace cisolve
