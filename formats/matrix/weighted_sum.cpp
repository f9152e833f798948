#include "formats/matrix/weighted_sum.hpp"

#include <numeric>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// put(column, αa + βb) for every column that row i of either has.
template <class Put>
void merge_row(double alpha, const CsrMatrix& a, double beta, const CsrMatrix& b, Index i,
               const Put& put) {
  Offset p = a.row_offsets[i], q = b.row_offsets[i];
  const Offset p_end = a.row_offsets[i + 1], q_end = b.row_offsets[i + 1];
  while (p < p_end || q < q_end) {
    const bool take_a = q == q_end || (p < p_end && a.column_indices[p] <= b.column_indices[q]);
    const bool take_b = p == p_end || (q < q_end && b.column_indices[q] <= a.column_indices[p]);
    const Index column = take_a ? a.column_indices[p] : b.column_indices[q];
    double value = 0.0;
    if (take_a) value += alpha * a.values[p++];
    if (take_b) value += beta * b.values[q++];
    put(column, value);
  }
}

}  // namespace

CsrMatrix weighted_sum(double alpha, const CsrMatrix& a, double beta, const CsrMatrix& b) {
  require_real(a, "a sum of matrices");
  require_real(b, "a sum of matrices");
  CsrMatrix s{a.rows, a.columns, Array<Offset>(a.row_offsets.size()), {}, {}};
  s.row_offsets[0] = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    Offset entries = 0;
    merge_row(alpha, a, beta, b, i, [&](Index, double) { ++entries; });
    s.row_offsets[i + 1] = entries;
  }
  std::inclusive_scan(s.row_offsets.begin(), s.row_offsets.end(), s.row_offsets.begin());
  s.column_indices = Array<Index>(static_cast<std::size_t>(s.nonzeros()));
  s.values = Array<double>(static_cast<std::size_t>(s.nonzeros()));
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024)
  for (Index i = 0; i < a.rows; ++i) {
    Offset at = s.row_offsets[i];
    merge_row(alpha, a, beta, b, i, [&](Index column, double value) {
      s.column_indices[at] = column;
      s.values[at++] = value;
    });
  }
  return s;
}

}  // namespace cisolve
