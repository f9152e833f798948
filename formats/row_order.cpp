#include "formats/row_order.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve {

Array<Index> rows_by_length(const CsrMatrix& a, Offset window) {
  Array<Index> order(a.rows);
  std::iota(order.begin(), order.end(), 0);
  const Offset windows = (a.rows + window - 1) / window;
#pragma omp parallel for schedule(dynamic, 16)
  for (Offset w = 0; w < windows; ++w) {
    const Offset first = w * window;
    const Offset last = std::min<Offset>(first + window, a.rows);
    std::stable_sort(order.begin() + first, order.begin() + last,
                     [&](Index i, Index j) { return a.row_length(i) > a.row_length(j); });
  }
  return order;
}

}  // namespace cisolve
