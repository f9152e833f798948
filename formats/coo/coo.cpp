#include "formats/coo/coo.hpp"

#include <algorithm>

#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"

namespace cisolve {
namespace {

std::size_t predicted_bytes(const CsrMatrix& a, const FormatOptions&) {
  return CooMatrix::bytes(a.nonzeros());
}

void dump(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const CooMatrix coo = to_coo(a);
  sink.array("row_indices", coo.row_indices);
  sink.array("column_indices", coo.column_indices);
  sink.array("values", coo.values);
}

}  // namespace

std::size_t CooMatrix::bytes(Offset nonzeros) {
  return static_cast<std::size_t>(nonzeros) * (2 * sizeof(Index) + sizeof(double));
}

CooMatrix to_coo(const CsrMatrix& a, Index skip) {
  Array<Offset> starts(static_cast<std::size_t>(a.rows) + 1);
  starts[0] = 0;
  for (Index i = 0; i < a.rows; ++i) {
    starts[i + 1] = starts[i] + std::max<Offset>(a.row_length(i) - skip, 0);
  }
  const auto entries = static_cast<std::size_t>(starts.back());
  CooMatrix coo{a.rows, a.columns, Array<Index>(entries), Array<Index>(entries),
                Array<double>(entries)};
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static)
  for (Index i = 0; i < a.rows; ++i) {
    const Offset count = starts[i + 1] - starts[i];
    const Offset from = a.row_offsets[i + 1] - count;
    std::fill_n(coo.row_indices.data() + starts[i], count, i);
    std::copy_n(a.column_indices.data() + from, count, coo.column_indices.data() + starts[i]);
    std::copy_n(a.values.data() + from, count, coo.values.data() + starts[i]);
  }
  return coo;
}

Format coo_format() {
  return {.name = "coo",
          .description = "coordinates: triplets sorted by row",
          .bytes = predicted_bytes,
          .cpu = make_coo_cpu,
          .cuda = make_coo_cuda,
          .dump = dump};
}

}  // namespace cisolve
