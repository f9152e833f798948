#include "formats/matrix/csr_checks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr Offset entries_at_once = 4096;

}  // namespace

bool mirrors_cancel(const CsrMatrix& a) {
  // Odd factors and any terms: rows that are multiples of 2^k alone would leave k bits unmixed.
  constexpr std::uint32_t c = 0x9e3779b1, c_0 = 0x85ebca6b, d = 0x27d4eb2f, d_0 = 0xc2b2ae35;
  std::uint64_t all = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 1024) reduction(^ : all)
  for (Index i = 0; i < a.rows; ++i) {
    const Index* const columns = a.column_indices.data() + a.row_offsets[i];
    const double* const values = a.values.data() + a.row_offsets[i];
    const auto length = static_cast<Index>(a.row_length(i));
    std::uint64_t of_row = 0;
#pragma omp simd reduction(^ : of_row)
    for (Index p = 0; p < length; ++p) {
      const Index j = columns[p];
      const auto bits = std::bit_cast<std::uint64_t>(values[p]);
      const auto lower = static_cast<std::uint32_t>(std::min(i, j)) + 1;
      const auto upper = static_cast<std::uint32_t>(std::max(i, j)) + 1;
      const auto low = static_cast<std::uint32_t>(bits) ^ (c * lower + upper + c_0);
      const auto high = static_cast<std::uint32_t>(bits >> 32) ^ (lower + d * upper + d_0);
      const std::uint64_t product = static_cast<std::uint64_t>(low) * high ^ bits;
      const std::uint64_t once = product ^ product >> 29;
      const auto low_once = static_cast<std::uint32_t>(once);
      const auto high_once = static_cast<std::uint32_t>(once >> 32);
      const std::uint64_t twice = static_cast<std::uint64_t>(low_once) * high_once ^ once;
      of_row ^= i == j || values[p] == 0.0 ? 0 : twice;
    }
    all ^= of_row;
  }
  return all == 0;
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
