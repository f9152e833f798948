#include "formats/packed/decode.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// The stored rows that those rows of A are.
std::vector<Index> stored_rows(const PackedMatrix& m, std::span<const Index> rows) {
  if (m.row_order.empty()) return {rows.begin(), rows.end()};
  std::vector<Index> stored_as(m.row_order.size());
#pragma omp parallel for if (worth_threads(m.rows)) schedule(static)
  for (Index s = 0; s < m.rows; ++s) stored_as[m.row_order[s]] = s;
  std::vector<Index> result;
  for (const Index row : rows) result.push_back(stored_as[row]);
  return result;
}

Offset row_length(const PackedMatrix& m, Index s) {
  Offset count = 0;
  for_each_numbers(m, s, [&](Index, const double*) { ++count; });
  return count;
}

/// The matrix of `rows` rows, of which row target(k) is stored row source(k) of m.
template <class Source, class Target>
CsrMatrix decoded_rows(const PackedMatrix& m, Array<Offset> offsets, Source source, Target target) {
  CsrMatrix a{static_cast<Index>(offsets.size()) - 1, m.columns, std::move(offsets), {}, {}};
  a.column_indices = Array<Index>(static_cast<std::size_t>(a.nonzeros()));
  a.components = m.components;
  a.values = Array<double>(static_cast<std::size_t>(a.nonzeros()) * m.components);
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, packed_rows)
  for (Index k = 0; k < a.rows; ++k) {
    Offset to = a.row_offsets[target(k)];
    for_each_numbers(m, source(k), [&](Index column, const double* numbers) {
      a.column_indices[to] = column;
      std::copy_n(numbers, m.components, a.values.data() + to * m.components);
      ++to;
    });
  }
  sort_rows(a, "packed");
  return a;
}

}  // namespace

Array<Offset> row_offsets(const PackedMatrix& m) {
  Array<Offset> offsets(static_cast<std::size_t>(m.rows) + 1);
  offsets[0] = 0;
#pragma omp parallel for if (worth_threads(30.0 * m.rows)) schedule(dynamic, 8 * packed_rows)
  for (Index s = 0; s < m.rows; ++s) offsets[row_of(m, s) + 1] = row_length(m, s);
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

std::vector<double> diagonal(const PackedMatrix& m) {
  std::vector<double> result(static_cast<std::size_t>(m.rows), 0.0);
#pragma omp parallel for if (worth_threads(30.0 * m.rows)) schedule(dynamic, 8 * packed_rows)
  for (Index s = 0; s < m.rows; ++s) {
    const Index i = row_of(m, s);
    for_each_numbers(m, s, [&](Index column, const double* numbers) {
      if (column == i) result[i] = numbers[0];
    });
  }
  return result;
}

CsrMatrix some_rows(const PackedMatrix& m, std::span<const Index> wanted) {
  const std::vector<Index> stored = stored_rows(m, wanted);
  Array<Offset> offsets{0};
  for (const Index s : stored) offsets.push_back(offsets.back() + row_length(m, s));
  return decoded_rows(
      m, std::move(offsets), [&](Index k) { return stored[k]; }, [](Index k) { return k; });
}

CsrMatrix to_csr(const PackedMatrix& m) {
  return decoded_rows(
      m, row_offsets(m), [](Index s) { return s; }, [&](Index s) { return row_of(m, s); });
}

}  // namespace cisolve
