#include "formats/jad/jad.hpp"

#include <algorithm>
#include <ranges>

#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/shared/bands.hpp"
#include "formats/shared/row_order.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

std::size_t jad_bytes(const CsrMatrix& a, const FormatOptions&) {
  return a.nonzeros() * (sizeof(double) + sizeof(Index)) +
         (row_statistics(a).maximum + 1) * sizeof(Offset) + a.rows * sizeof(Index);
}

void dump_jad(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const JadMatrix m = to_jad(a);
  sink.array("row_order", m.row_order);
  sink.array("diagonal_offsets", m.diagonal_offsets);
  sink.array("column_indices", m.column_indices);
  sink.array("values", m.values);
}

}  // namespace

Index JadMatrix::row_length(Index s) const {
  const auto all = std::views::iota(Index{0}, diagonals());
  const auto reaches = [&](Index d) { return diagonal_offsets[d + 1] - diagonal_offsets[d] > s; };
  return static_cast<Index>(std::ranges::partition_point(all, reaches) - all.begin());
}

std::size_t JadMatrix::bytes() const {
  return values.size() * sizeof(double) + diagonal_offsets.size() * sizeof(Offset) +
         (column_indices.size() + row_order.size()) * sizeof(Index);
}

JadMatrix to_jad(const CsrMatrix& a) {
  JadMatrix m{a.rows, a.columns, rows_by_length(a.row_offsets, std::max(a.rows, 1)), {}, {}, {}};
  const Offset longest = a.rows == 0 ? 0 : a.row_length(m.row_order[0]);
  m.diagonal_offsets = Array<Offset>(longest + 1);
  m.diagonal_offsets[0] = 0;
  Index reached = a.rows;
  for (Index d = 0; d < longest; ++d) {
    while (a.row_length(m.row_order[reached - 1]) <= d) --reached;
    m.diagonal_offsets[d + 1] = m.diagonal_offsets[d] + reached;
  }
  m.column_indices = Array<Index>(a.nonzeros());
  m.values = Array<double>(a.nonzeros());
  // Diagonal by diagonal in bands of rows, so that neighbours are written together.
  const Bands<64> bands{a.rows, std::max(a.rows, 1)};
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 8)
  for (Index b = 0; b < bands.count(); ++b) {
    const Band band = bands[b];
    Index count = band.count;
    for (Index d = 0;; ++d) {
      while (count > 0 && a.row_length(m.row_order[band.first + count - 1]) <= d) --count;
      if (count == 0) break;
      for (Index r = 0; r < count; ++r) {
        const Offset entry = a.row_offsets[m.row_order[band.first + r]] + d;
        m.values[m.diagonal_offsets[d] + band.first + r] = a.values[entry];
        m.column_indices[m.diagonal_offsets[d] + band.first + r] = a.column_indices[entry];
      }
    }
  }
  return m;
}

Format jad_format() {
  return {.name = "jad",
          .description = "jagged diagonals: rows sorted by length, no padding",
          .bytes = jad_bytes,
          .cpu = make_jad_cpu,
          .cuda = make_jad_cuda,
          .dump = dump_jad,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
