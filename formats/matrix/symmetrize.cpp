#include "formats/matrix/symmetrize.hpp"

#include <numeric>

#include "core/error.hpp"
#include "formats/matrix/weighted_sum.hpp"

namespace cisolve {
namespace {

CsrMatrix transposed(const CsrMatrix& a) {
  CsrMatrix t{a.columns, a.rows, Array<Offset>(static_cast<std::size_t>(a.columns) + 1), {}, {}};
  t.column_indices = Array<Index>(a.column_indices.size());
  t.values = Array<double>(a.values.size());
  std::ranges::fill(t.row_offsets, 0);
  for (const Index j : a.column_indices) ++t.row_offsets[j + 1];
  std::inclusive_scan(t.row_offsets.begin(), t.row_offsets.end(), t.row_offsets.begin());
  std::vector<Offset> next(t.row_offsets.begin(), t.row_offsets.end() - 1);
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Offset q = next[a.column_indices[p]]++;
      t.column_indices[q] = i;
      t.values[q] = a.values[p];
    }
  }
  return t;
}

}  // namespace

CsrMatrix symmetrized(const CsrMatrix& a, const std::string& name) {
  if (a.rows != a.columns) {
    throw InputError(name + ": the matrix has " + std::to_string(a.rows) + " rows and " +
                     std::to_string(a.columns) +
                     " columns, and input.symmetrize needs a square one");
  }
  if (a.storage == Storage::upper) return a;
  // Halves are added: the sum of two large numbers is finite then.
  return weighted_sum(0.5, a, 0.5, transposed(a));
}

}  // namespace cisolve
