#include "formats/matrix/csr_checks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "core/mixed.hpp"
#include "core/parallel.hpp"

namespace cisolve {
namespace {

bool is_faulty(const CsrMatrix& a, Index i) {
  const Offset begin = a.row_offsets[i];
  const Index* columns = a.column_indices.data() + begin;
  const double* values = a.values.data() + begin;
  const auto length = static_cast<int>(a.row_offsets[i + 1] - begin);
  if (length == 0) return false;
  const Index lowest = a.storage == Storage::upper ? i : 0;
  double nothing = 0.0;
  int descents = 0;
#pragma omp simd reduction(+ : nothing)
  for (int e = 0; e < length; ++e) nothing += 0.0 * values[e];  // NaN of infinity and NaN
#pragma omp simd reduction(+ : descents)
  for (int e = 1; e < length; ++e) descents += columns[e] <= columns[e - 1] ? 1 : 0;
  return descents > 0 || nothing != 0.0 || columns[0] < lowest || columns[length - 1] >= a.columns;
}

}  // namespace

bool mirrors_cancel(const CsrMatrix& a) {
  Array<std::uint64_t> of_rows(static_cast<std::size_t>(a.rows));
  const bool shared = worth_threads(a.nonzeros());
#pragma omp parallel for if (shared) schedule(static)
  for (Index i = 0; i < a.rows; ++i) of_rows[i] = mixed(static_cast<std::uint64_t>(i));
  const std::uint64_t* const f = of_rows.data();
  std::uint64_t sum = 0;
#pragma omp parallel for if (shared) schedule(dynamic, 1024) reduction(+ : sum)
  for (Index i = 0; i < a.rows; ++i) {
    const Index* const columns = a.column_indices.data();
    const double* const values = a.values.data();
    const std::uint64_t own = f[i];
    std::uint64_t of_row = 0;
    for (Offset p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const std::uint64_t other = f[columns[p]];
      of_row += std::rotl(std::bit_cast<std::uint64_t>(values[p]), 32) * (other * (other - own));
    }
    sum += of_row * own;
  }
  return sum == 0;
}

Index first_faulty_row(const CsrMatrix& a) {
  constexpr Index none = std::numeric_limits<Index>::max();
  Index first = none;
  const bool shared = worth_threads(a.nonzeros());
#pragma omp parallel for if (shared) schedule(dynamic, 1024) reduction(min : first)
  for (Index i = 0; i < a.rows; ++i) {
    if (i < first && is_faulty(a, i)) first = i;
  }
  return first == none ? -1 : first;
}

}  // namespace cisolve
