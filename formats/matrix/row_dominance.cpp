#include "formats/matrix/row_dominance.hpp"

#include <cmath>

namespace cisolve {

RowSums::RowSums(const CsrMatrix& a, Index first)
    : others(a.rows, 0.0), diagonal(cisolve::diagonal(a, first)) {
  require_real(a, "sums of rows");
  const bool upper = a.storage == Storage::upper;
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      const Index j = a.column_indices[e];
      if (first + i == j) continue;
      others[i] += std::abs(a.values[e]);
      if (upper) others[j] += std::abs(a.values[e]);
    }
  }
}

Index RowSums::not_dominant(double shift) const {
  Index count = 0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    count += std::abs(diagonal[i] - shift) < others[i];
  }
  return count;
}

}  // namespace cisolve
