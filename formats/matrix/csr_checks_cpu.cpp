#include "formats/matrix/csr_checks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/mixed.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr Offset entries_at_once = 4096;

}  // namespace

bool mirrors_cancel(const CsrMatrix& a) {
  Array<std::uint64_t> of_rows(static_cast<std::size_t>(a.rows));
  const bool shared = worth_threads(a.nonzeros());
#pragma omp parallel for if (shared) schedule(static)
  for (Index i = 0; i < a.rows; ++i) of_rows[i] = mixed(static_cast<std::uint64_t>(i)) | 1;
  const std::uint64_t* const f = of_rows.data();
  std::uint64_t sum = 0;
#pragma omp parallel for if (shared) schedule(dynamic, 1024) reduction(+ : sum)
  for (Index i = 0; i < a.rows; ++i) {
    const Index* const columns = a.column_indices.data() + a.row_offsets[i];
    const double* const values = a.values.data() + a.row_offsets[i];
    const auto length = static_cast<Index>(a.row_length(i));
    const std::uint64_t own = f[i];
    std::uint64_t of_row = 0;
#pragma omp simd reduction(+ : of_row)
    for (Index p = 0; p < length; ++p) {
      const std::uint64_t other = f[columns[p]];
      const std::uint64_t of_value =
          values[p] == 0.0 ? 0 : mixed(std::bit_cast<std::uint64_t>(values[p]));
      of_row += of_value * (other * (other - own));
    }
    sum += of_row * own;
  }
  return sum == 0;
}

bool is_consistent(const CsrMatrix& a) {
  const Offset count = a.nonzeros(), numbers = count * a.components;
  const Index* const columns = a.column_indices.data();
  const double* const values = a.values.data();
  const bool shared = worth_threads(count);
  double nothing = 0.0;
#pragma omp parallel for simd if (parallel : shared) schedule(static) reduction(+ : nothing)
  for (Offset p = 0; p < numbers; ++p) nothing += 0.0 * values[p];  // NaN of infinity and NaN
  Offset descents = 0;
#pragma omp parallel for if (shared) schedule(static) reduction(+ : descents)
  for (Offset first = 1; first < count; first += entries_at_once) {
    const auto here = static_cast<int>(std::min(entries_at_once, count - first));
    const Index* const from = columns + first;
    int of_piece = 0;
#pragma omp simd reduction(+ : of_piece)
    for (int e = 0; e < here; ++e) of_piece += from[e] <= from[e - 1] ? 1 : 0;
    descents += of_piece;
  }
  Offset beginnings = 0;
  bool outside = false;
#pragma omp parallel for if (shared) schedule(static) reduction(+ : beginnings) reduction(|| : outside)
  for (Index i = 0; i < a.rows; ++i) {
    const Offset begin = a.row_offsets[i], end = a.row_offsets[i + 1];
    if (begin == end) continue;
    const Index lowest = a.storage == Storage::upper ? i : 0;
    outside = outside || columns[begin] < lowest || columns[end - 1] >= a.columns;
    beginnings += begin > 0 && columns[begin] <= columns[begin - 1] ? 1 : 0;
  }
  return nothing == 0.0 && !outside && descents == beginnings;
}

}  // namespace cisolve
