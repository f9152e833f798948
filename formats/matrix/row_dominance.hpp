#pragma once

#include <vector>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Σ_{j≠i} |a_ij| of every row and the diagonal.
struct RowSums {
  explicit RowSums(const CsrMatrix& a);
  /// Rows with |a_ii − σ| below their sum. Where there is none, Jacobi's method converges.
  Index not_dominant(double shift) const;

  std::vector<double> others, diagonal;
};

}  // namespace cisolve
