#include "solvers/eigen/eigen_problem.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {
namespace {

int default_guard(int states) {
  return (states + 3) / 4;
}

}  // namespace

void require_valid(const LinearOperator& a, Index rows, const EigenOptions& options) {
  if (a.rows() != a.columns()) {
    throw InputError("the matrix has " + std::to_string(a.rows()) + " rows and " +
                     std::to_string(a.columns()) + " columns; eigenpairs need a square one");
  }
  if (!(options.residual_tolerance() > 0.0)) {
    throw InputError("tolerance: " + std::to_string(options.residual_tolerance()) +
                     ", expected above 0");
  }
  basis_size(options, rows);
}

int block_size(const EigenOptions& options, Index rows) {
  if (options.states < 1) {
    throw InputError("states: " + std::to_string(options.states) + ", expected at least 1");
  }
  if (options.states > rows) {
    throw InputError("states: " + std::to_string(options.states) + " are wanted of a matrix with " +
                     std::to_string(rows) + " rows");
  }
  if (!traits_of(options.method).corrects) return options.states;
  const Index guard = options.guard >= 0 ? options.guard : default_guard(options.states);
  return options.states + std::min<Index>(guard, rows - options.states);
}

int smallest_basis(const EigenOptions& options, Index rows) {
  const std::int64_t block = block_size(options, rows);
  // A restart keeps states + 2 pairs at most; a whole block must fit after it.
  const std::int64_t smallest =
      std::max({2 * block + 2, block + 6, traits_of(options.method).blocks_at_least * block});
  return static_cast<int>(std::min<std::int64_t>(smallest, rows));
}

int basis_size(const EigenOptions& options, Index rows) {
  const int block = block_size(options, rows), smallest = smallest_basis(options, rows);
  if (!traits_of(options.method).chooses_basis) return smallest;
  if (options.max_basis > 0 && options.max_basis < smallest) {
    throw InputError("solver.max_basis: found " + std::to_string(options.max_basis) +
                     ", expected at least " + std::to_string(smallest) +
                     (smallest == rows
                          ? ", the rows of the matrix"
                          : " for " + std::to_string(options.states) + " states and " +
                                std::to_string(block - options.states) + " guard vectors"));
  }
  std::int64_t wanted = traits_of(options.method).blocks_by_choice *
                        std::max<std::int64_t>(4ll * block, options.least_basis);
  if (options.max_basis > 0) wanted = options.max_basis;
  return static_cast<int>(std::min<std::int64_t>(wanted, rows));
}

int product_columns(const EigenOptions& options, Index rows) {
  const int block = block_size(options, rows);
  return options.verify == Verify::off ? block : std::max(block, options.exclusion_starts);
}

std::size_t basis_vector_bytes(const EigenOptions& options, Index rows) {
  const std::size_t vectors = traits_of(options.method).keeps_images ? 2 : 1;
  return vectors * static_cast<std::size_t>(rows) * sizeof(double);
}

std::size_t other_vector_bytes(const EigenOptions& options, Index rows) {
  const auto block = static_cast<std::size_t>(block_size(options, rows));
  const auto columns = static_cast<std::size_t>(product_columns(options, rows));
  const auto states = static_cast<std::size_t>(options.states);
  // Vectors of ExclusionSearch and of its metric.
  const std::size_t exclusion = 4 * static_cast<std::size_t>(options.exclusion_starts) + 1;
  // Vectors: the new ones and their images, both also in the operator's order of rows if that
  // differs; the result; the diagonal; Lanczos' next block, or the residuals of the other methods.
  const std::size_t vectors = 2 * block + (options.in_order_of_sectors ? 0 : 2 * columns) + states +
                              1 + (traits_of(options.method).corrects ? states + 2 : block) +
                              (options.olsen ? 2 : 0) +
                              (options.verify == Verify::off ? 0 : exclusion);
  return vectors * static_cast<std::size_t>(rows) * sizeof(double);
}

}  // namespace cisolve
