#include "formats/matrix/mirror_sum.hpp"

#include <bit>
#include <cstdint>

#include "core/mixed.hpp"
#include "core/parallel.hpp"

namespace cisolve {
bool mirrors_cancel(const CsrMatrix& a) {
  Array<std::uint64_t> f(static_cast<std::size_t>(a.rows));
  for (Index i = 0; i < a.rows; ++i) f[i] = mixed(static_cast<std::uint64_t>(i));
  std::uint64_t sum = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024) reduction(+ : sum)
  for (Index i = 0; i < a.rows; ++i) {
    std::uint64_t of_row = 0;
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const std::uint64_t of_column = f[a.column_indices[p]];
      of_row += mixed(std::bit_cast<std::uint64_t>(a.values[p])) * of_column * (of_column - f[i]);
    }
    sum += of_row * f[i];
  }
  return sum == 0;
}

}  // namespace cisolve
