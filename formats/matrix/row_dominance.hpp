#pragma once

#include <vector>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Σ_{j≠i} |a_ij| of every row and the diagonal. `first`: which of a larger matrix the first of
/// these rows is.
struct RowSums {
  explicit RowSums(const CsrMatrix& a, Index first = 0);
  /// Rows with |a_ii − σ| below their sum. Jacobi's method converges if there is none.
  Index not_dominant(double shift) const;

  std::vector<double> others, diagonal;
};

}  // namespace cisolve
