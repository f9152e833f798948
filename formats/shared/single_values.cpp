#include "formats/shared/single_values.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

[[noreturn]] void refuse_element(const CsrMatrix& a, Index row) {
  Offset e = a.row_offsets[row];
  while (a.column_indices[e] == row || std::isfinite(static_cast<float>(a.values[e]))) ++e;
  std::ostringstream text;
  text << "spmv.off_diagonal: found " << a.values[e] << " in row " << row + 1 << ", column "
       << a.column_indices[e] + 1 << ", expected elements of at most 3.4e38 with float32";
  throw InputError(text.str());
}

Array<float> room_for_values(Offset count) {
  const std::size_t needed = static_cast<std::size_t>(count) * sizeof(float);
  const std::size_t free = available_host_memory();
  if (needed > free) {
    throw ResourceError("off-diagonal elements in single precision need " + format_bytes(needed) +
                        " to be made, and " + format_bytes(free) + " are free on the host");
  }
  return Array<float>(count);
}

}  // namespace

SingleValues round_off_diagonals(const CsrMatrix& a) {
  require_real(a, "off-diagonal elements in single precision");
  SingleValues rounded{room_for_values(a.nonzeros())};
  float* values = rounded.values.data();
  double largest = 0.0;
  Index refused = a.rows;
#pragma omp parallel if (worth_threads(a.nonzeros()))
#pragma omp for schedule(dynamic, 512) reduction(max : largest) reduction(min : refused)
  for (Index i = 0; i < a.rows; ++i) {
    double error = 0.0;
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      const bool on_diagonal = a.column_indices[e] == i;
      values[e] = on_diagonal ? 0.0f : static_cast<float>(a.values[e]);
      if (!on_diagonal) error += std::abs(a.values[e] - values[e]);
    }
    // An element that has become infinite or was NaN makes the sum so.
    if (!std::isfinite(error)) refused = std::min(refused, i);
    largest = std::max(largest, error);
  }
  if (refused < a.rows) refuse_element(a, refused);
  rounded.rounding_error = largest;
  return rounded;
}

}  // namespace cisolve
