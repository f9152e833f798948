#include "formats/matrix/symmetrize.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "formats/matrix/weighted_sum.hpp"

namespace cisolve {

CsrMatrix transposed(const CsrMatrix& a, CsrMatrix t) {
  const int d = t.components = a.components;
  std::ranges::fill(t.row_offsets, 0);
  Offset* const next = t.row_offsets.data() + 1;  // counts, then where a row begins, then ends
  for (const Index j : a.column_indices) ++next[j];
  std::exclusive_scan(next, next + t.rows, next, Offset{0});
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Offset q = next[a.column_indices[p]]++;
      t.column_indices[q] = i;
      std::copy_n(a.values.data() + p * d, d, t.values.data() + q * d);
    }
  }
  return t;
}

CsrMatrix symmetrized(const CsrMatrix& a, const std::string& name) {
  if (a.rows != a.columns) {
    throw InputError(name + ": the matrix has " + std::to_string(a.rows) + " rows and " +
                     std::to_string(a.columns) +
                     " columns, and input.symmetrize needs a square one");
  }
  require_real(a, name + ", for input.symmetrize");
  if (a.storage == Storage::upper) return a;
  // Halves are added: the sum of two large numbers is finite then.
  return weighted_sum(
      0.5, a, 0.5,
      transposed(a, {a.columns, a.rows, Array<Offset>(a.row_offsets.size()),
                     Array<Index>(a.column_indices.size()), Array<double>(a.values.size())}));
}

}  // namespace cisolve
