#include "formats/shared/sliced_ell.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/matrix/elements.hpp"
#include "formats/shared/bands.hpp"
#include "formats/shared/row_order.hpp"
#include "formats/shared/single_values.hpp"

namespace cisolve {
namespace {

Array<Index> row_order(const CsrMatrix& a, const SlicedEllLayout& layout) {
  if (layout.sort_window == 0) return {};
  return rows_by_length(a.row_offsets, layout.sort_window);
}

Index stored_row(const Array<Index>& order, Index s) {
  return order.empty() ? s : order[s];
}

Array<Offset> slice_offsets(const CsrMatrix& a, Index slice_height, const Array<Index>& order) {
  const Index slices = a.rows == 0 ? 0 : (a.rows - 1) / slice_height + 1;
  Array<Offset> offsets(static_cast<std::size_t>(slices) + 1);
  offsets[0] = 0;
  Index row = 0;
  for (Index s = 0; s < slices; ++s) {
    const Index height = std::min(slice_height, a.rows - row);
    Offset width = 0;
    for (Index r = 0; r < height; ++r, ++row) {
      width = std::max(width, a.row_length(stored_row(order, row)));
    }
    offsets[s + 1] = offsets[s] + height * width;
  }
  return offsets;
}

}  // namespace

template <class Value>
Index SlicedEllArrays<Value>::height(Index s) const {
  return static_cast<Index>(std::min<Offset>(slice_height, rows - Offset{s} * slice_height));
}

template <class Value>
Index SlicedEllArrays<Value>::width(Index s) const {
  return static_cast<Index>((slice_offsets[s + 1] - slice_offsets[s]) / height(s));
}

template <class Value>
std::size_t SlicedEllArrays<Value>::bytes() const {
  return slice_offsets.size() * sizeof(Offset) +
         (row_lengths.size() + row_order.size()) * sizeof(Index) +
         entry_bytes(slice_offsets.back(), rows, precision_of<Value>, components_of<Value>);
}

Index checked_slice_height(const std::string& format, const FormatOptions& options) {
  if (options.slice_height < 1 || options.slice_height > 1024) {
    throw InputError(format + ": the slice height is " + std::to_string(options.slice_height) +
                     ", expected 1 … 1024");
  }
  return options.slice_height;
}

std::string describe(const SlicedEllLayout& layout) {
  const std::string sorted =
      layout.sort_window == 0 ? "" : ", sorted within " + std::to_string(layout.sort_window);
  return "slices of " + std::to_string(layout.slice_height) + " rows" + sorted;
}

std::size_t sliced_ell_bytes(const CsrMatrix& a, const SlicedEllLayout& layout,
                             Precision precision) {
  const Array<Index> order = row_order(a, layout);
  const Array<Offset> offsets = slice_offsets(a, layout.slice_height, order);
  const std::size_t lengths = layout.row_lengths ? a.rows : 0;
  return offsets.size() * sizeof(Offset) + (order.size() + lengths) * sizeof(Index) +
         entry_bytes(offsets.back(), a.rows, precision, a.components);
}

void dump_sliced_ell(const CsrMatrix& a, const SlicedEllLayout& layout, ArraySink& sink) {
  with_components(a.components, [&](auto d) {
    const auto m = to_sliced_ell(a, field_elements<d.value>(a), layout);
    sink.scalar("slice_height", m.slice_height);
    sink.array("slice_offsets", m.slice_offsets);
    sink.array("column_indices", m.column_indices);
    put_elements<FieldElement<d.value>>(sink, "values", m.values);
    if (!m.row_lengths.empty()) sink.array("row_lengths", m.row_lengths);
    if (!m.row_order.empty()) sink.array("row_order", m.row_order);
  });
}

template <class Value>
SlicedEllArrays<Value> to_sliced_ell(const CsrMatrix& a, const Value* values,
                                     const SlicedEllLayout& layout) {
  SlicedEllArrays<Value> m{a.rows, a.columns, layout.slice_height, {}, {},
                           {},     {},        row_order(a, layout)};
  m.slice_offsets = slice_offsets(a, layout.slice_height, m.row_order);
  m.column_indices = Array<Index>(m.slice_offsets.back());
  m.values = Array<Value>(m.slice_offsets.back());
  if (layout.row_lengths) {
    m.row_lengths = Array<Index>(a.rows);
    for (Index s = 0; s < a.rows; ++s) {
      m.row_lengths[s] = static_cast<Index>(a.row_length(stored_row(m.row_order, s)));
    }
  }
  // Column by column in bands of rows, so that neighbours are written together.
  const Bands<64> bands{a.rows, m.slice_height};
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 8)
  for (Index b = 0; b < bands.count(); ++b) {
    const Band band = bands[b];
    const Index height = m.height(band.slice), width = m.width(band.slice);
    const Offset begin =
        m.slice_offsets[band.slice] + band.first - Offset{band.slice} * m.slice_height;
    for (Index e = 0; e < width; ++e) {
      for (Index r = 0; r < band.count; ++r) {
        const Index row = stored_row(m.row_order, band.first + r);
        const Offset length = a.row_length(row), entry = a.row_offsets[row] + e;
        const Offset place = begin + Offset{e} * height + r;
        m.values[place] = e < length ? values[entry] : Value{};
        m.column_indices[place] = e < length   ? a.column_indices[entry]
                                  : length > 0 ? a.column_indices[a.row_offsets[row + 1] - 1]
                                               : 0;
      }
    }
  }
  return m;
}

SlicedEllMatrix to_sliced_ell(const CsrMatrix& a, const SlicedEllLayout& layout) {
  return to_sliced_ell(a, a.values.data(), layout);
}

#define CISOLVE_SLICED_ELL(Value)                                               \
  template struct SlicedEllArrays<Value>;                                       \
  template SlicedEllArrays<Value> to_sliced_ell(const CsrMatrix&, const Value*, \
                                                const SlicedEllLayout&);
CISOLVE_SLICED_ELL(double)
CISOLVE_SLICED_ELL(float)
CISOLVE_SLICED_ELL(FieldElement<2>)
CISOLVE_SLICED_ELL(FieldElement<4>)
#undef CISOLVE_SLICED_ELL

}  // namespace cisolve
