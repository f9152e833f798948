#include "formats/matrix/symmetrize.hpp"

#include <numeric>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace cisolve {
namespace {

/// put(column, half the sum of both entries) for every column that row i of either has.
template <class Put>
void merge_row(const CsrMatrix& a, const CsrMatrix& b, Index i, const Put& put) {
  Offset p = a.row_offsets[i], q = b.row_offsets[i];
  const Offset p_end = a.row_offsets[i + 1], q_end = b.row_offsets[i + 1];
  while (p < p_end || q < q_end) {
    const bool take_a = q == q_end || (p < p_end && a.column_indices[p] <= b.column_indices[q]);
    const bool take_b = p == p_end || (q < q_end && b.column_indices[q] <= a.column_indices[p]);
    const Index column = take_a ? a.column_indices[p] : b.column_indices[q];
    double value = 0.0;  // halved first: the sum of two large numbers is finite then
    if (take_a) value += 0.5 * a.values[p++];
    if (take_b) value += 0.5 * b.values[q++];
    put(column, value);
  }
}

}  // namespace

CsrMatrix transposed(const CsrMatrix& a, CsrMatrix t) {
  std::ranges::fill(t.row_offsets, 0);
  Offset* const next = t.row_offsets.data() + 1;  // counts, then where a row begins, then ends
  for (const Index j : a.column_indices) ++next[j];
  std::exclusive_scan(next, next + t.rows, next, Offset{0});
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const Offset q = next[a.column_indices[p]]++;
      t.column_indices[q] = i;
      t.values[q] = a.values[p];
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
  if (a.storage == Storage::upper) return a;
  const CsrMatrix t =
      transposed(a, {a.columns, a.rows, Array<Offset>(a.row_offsets.size()),
                     Array<Index>(a.column_indices.size()), Array<double>(a.values.size())});
  CsrMatrix s{a.rows, a.columns, Array<Offset>(a.row_offsets.size()), {}, {}};
  s.row_offsets[0] = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    Offset entries = 0;
    merge_row(a, t, i, [&](Index, double) { ++entries; });
    s.row_offsets[i + 1] = entries;
  }
  std::inclusive_scan(s.row_offsets.begin(), s.row_offsets.end(), s.row_offsets.begin());
  s.column_indices = Array<Index>(static_cast<std::size_t>(s.nonzeros()));
  s.values = Array<double>(static_cast<std::size_t>(s.nonzeros()));
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    Offset at = s.row_offsets[i];
    merge_row(a, t, i, [&](Index column, double value) {
      s.column_indices[at] = column;
      s.values[at++] = value;
    });
  }
  return s;
}

}  // namespace cisolve
