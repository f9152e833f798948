#include "formats/cusparse_sell/cusparse_sell.hpp"

#include <algorithm>

#include "formats/array_sink.hpp"
#include "formats/shared/cusparse.hpp"

namespace cisolve {
namespace {

constexpr Index height = CusparseSellMatrix::height;

Array<Offset> slice_offsets(const CsrMatrix& a) {
  Array<Offset> offsets{0};
  for (Offset first = 0; first < a.rows; first += height) {
    Offset width = 0;
    const auto last = static_cast<Index>(std::min<Offset>(first + height, a.rows));
    for (auto i = static_cast<Index>(first); i < last; ++i) {
      width = std::max(width, a.row_length(i));
    }
    offsets.push_back(offsets.back() + width * height);
  }
  return offsets;
}

std::size_t bytes_of(std::size_t offsets, Offset stored) {
  const std::size_t index = cusparse_needs_64_bits(stored) ? 8 : 4;
  return static_cast<std::size_t>(stored) * (8 + index) + offsets * index;
}

std::size_t cusparse_sell_bytes(const CsrMatrix& a, const FormatOptions&) {
  const Array<Offset> offsets = slice_offsets(a);
  return bytes_of(offsets.size(), offsets.back());
}

void dump_cusparse_sell(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const CusparseSellMatrix sell = to_cusparse_sell(a);
  sink.scalar("slice_height", height);
  sink.array("slice_offsets", sell.slice_offsets);
  sink.array("column_indices", sell.column_indices);
  sink.array("values", sell.values);
}

}  // namespace

std::size_t CusparseSellMatrix::bytes() const {
  return bytes_of(slice_offsets.size(), stored());
}

CusparseSellMatrix to_cusparse_sell(const CsrMatrix& a) {
  CusparseSellMatrix sell{a.rows, a.columns, slice_offsets(a), {}, {}};
  sell.column_indices.assign(sell.stored(), -1);
  sell.values.assign(sell.stored(), 0.0);
#pragma omp parallel for schedule(dynamic, 512)
  for (Index i = 0; i < a.rows; ++i) {
    Offset place = sell.slice_offsets[i / height] + i % height;
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e, place += height) {
      sell.column_indices[place] = a.column_indices[e];
      sell.values[place] = a.values[e];
    }
  }
  return sell;
}

Format cusparse_sell_format() {
  return {.name = "cusparse_sell",
          .description = "the vendor library's sliced ELLPACK, slices of 32 rows",
          .bytes = cusparse_sell_bytes,
          .cuda = make_cusparse_sell_cuda,
          .dump = dump_cusparse_sell,
          .deterministic = false};
}

}  // namespace cisolve
