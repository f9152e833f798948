#include "formats/shared/row_order.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads/parallel.hpp"

namespace cisolve {

Array<Index> rows_by_length(const Array<Offset>& row_offsets, Offset window) {
  const auto rows = static_cast<Offset>(row_offsets.size()) - 1;
  Array<Index> order(rows);
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](Index i) { return row_offsets[i + 1] - row_offsets[i]; };
  const Offset windows = (rows + window - 1) / window;
#pragma omp parallel for if (worth_threads(10.0 * rows)) schedule(dynamic, 16)
  for (Offset w = 0; w < windows; ++w) {
    const Offset first = w * window;
    const Offset last = std::min(first + window, rows);
    std::stable_sort(order.begin() + first, order.begin() + last,
                     [&](Index i, Index j) { return length(i) > length(j); });
  }
  return order;
}

}  // namespace cisolve
