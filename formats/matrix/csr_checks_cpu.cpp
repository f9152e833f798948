#include "formats/matrix/csr_checks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr Offset entries_at_once = 4096;
constexpr int rows_at_once = 8;  // written of one row, in a vector

/// rows[e] := the row of entry first + e, e < count. Whole vectors are written, whose ends the next
/// row overwrites: `rows` has rows_at_once more.
void find_rows(const CsrMatrix& a, Offset first, int count, Index* rows) {
  const auto begin = a.row_offsets.begin();
  auto end_of_row = std::upper_bound(begin, a.row_offsets.end(), first);
  for (int e = 0; e < count; ++end_of_row) {
    const auto i = static_cast<Index>(end_of_row - begin - 1);
    const auto end = static_cast<int>(std::min<Offset>(count, *end_of_row - first));
    for (; e < end; e += rows_at_once) std::fill_n(rows + e, rows_at_once, i);
    e = end;
  }
}

/// Σ 0 · value: NaN of infinity and of NaN, else zero.
double nothing_of(const double* values, int count) {
  double nothing = 0.0;
#pragma omp simd reduction(+ : nothing)
  for (int p = 0; p < count; ++p) nothing += 0.0 * values[p];
  return nothing;
}

/// Columns that a row may have; in an upper triangle those from its diagonal on.
struct Range {
  bool upper;
  Index end;

  int excludes(Index row, Index column) const {
    return column < (upper ? row : 0) || column >= end ? 1 : 0;
  }
};

/// Entries out of range, or of the row of the entry before and not behind it; rows[-1] and
/// columns[-1] are that one's.
int misplaced(Range range, const Index* rows, const Index* columns, int count) {
  int found = 0;
#pragma omp simd reduction(+ : found)
  for (int e = 0; e < count; ++e) {
    const int back = rows[e] == rows[e - 1] && columns[e] <= columns[e - 1] ? 1 : 0;
    found += range.excludes(rows[e], columns[e]) | back;
  }
  return found;
}

/// Exclusive or of h over the entries.
std::uint64_t hash_of(const Index* rows, const Index* columns, const double* values, int count) {
  // Odd factors and any terms: rows that are multiples of 2^k alone would leave k bits unmixed.
  constexpr std::uint32_t c = 0x9e3779b1, c_0 = 0x85ebca6b, d = 0x27d4eb2f, d_0 = 0xc2b2ae35;
  std::uint64_t all = 0;
#pragma omp simd reduction(^ : all)
  for (int e = 0; e < count; ++e) {
    const Index i = rows[e], j = columns[e];
    const auto bits = std::bit_cast<std::uint64_t>(values[e]);
    const auto lower = static_cast<std::uint32_t>(std::min(i, j)) + 1;
    const auto upper = static_cast<std::uint32_t>(std::max(i, j)) + 1;
    const auto low = static_cast<std::uint32_t>(bits) ^ (c * lower + upper + c_0);
    const auto high = static_cast<std::uint32_t>(bits >> 32) ^ (lower + d * upper + d_0);
    const std::uint64_t product = static_cast<std::uint64_t>(low) * high ^ bits;
    const std::uint64_t once = product ^ product >> 29;
    const auto low_once = static_cast<std::uint32_t>(once);
    const auto high_once = static_cast<std::uint32_t>(once >> 32);
    const std::uint64_t twice = static_cast<std::uint64_t>(low_once) * high_once ^ once;
    all ^= i == j || values[e] == 0.0 ? 0 : twice;
  }
  return all;
}

}  // namespace

EntryChecks check_entries(const CsrMatrix& a) {
  const Offset count = a.nonzeros();
  const int d = a.components;
  const bool may_mirror = d == 1 && a.rows == a.columns && a.storage == Storage::full;
  const Range range{a.storage == Storage::upper, a.columns};
  double nothing = 0.0;
  Offset faults = 0;
  std::uint64_t hash = may_mirror ? 0 : 1;
#pragma omp parallel for if (worth_threads(count)) schedule(static) \
    reduction(+ : nothing, faults) reduction(^ : hash)
  for (Offset first = 0; first < count; first += entries_at_once) {
    const auto here = static_cast<int>(std::min(entries_at_once, count - first));
    const Index* const columns = a.column_indices.data() + first;
    const double* const values = a.values.data() + first * d;
    std::array<Index, 1 + entries_at_once + rows_at_once> with_one_before;
    Index* const rows = with_one_before.data() + 1;
    if (first == 0) {
      find_rows(a, 0, here, rows);
      faults +=
          range.excludes(rows[0], columns[0]) + misplaced(range, rows + 1, columns + 1, here - 1);
    } else {
      find_rows(a, first - 1, here + 1, rows - 1);
      faults += misplaced(range, rows, columns, here);
    }
    nothing += nothing_of(values, here * d);
    if (may_mirror) hash ^= hash_of(rows, columns, values, here);
  }
  return {nothing == 0.0 && faults == 0, hash == 0};
}

}  // namespace cisolve
