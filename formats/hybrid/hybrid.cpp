#include "formats/hybrid/hybrid.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/matrix/elements.hpp"
#include "formats/shared/single_values.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// Entries of row i that belong to the ELLPACK part.
Index reference_count(const CsrMatrix& a, Index i, const Boundary& boundary) {
  const Offset length = a.row_length(i);
  if (boundary.by == Boundary::By::count) {
    return static_cast<Index>(std::min<Offset>(length, boundary.value));
  }
  const Index* begin = a.column_indices.data() + a.row_offsets[i];
  return static_cast<Index>(std::lower_bound(begin, begin + length, boundary.value) - begin);
}

/// Width and number of entries of the ELLPACK part.
struct ReferencePart {
  Index width = 0;
  Offset entries = 0;
};
ReferencePart reference_part(const CsrMatrix& a, const Boundary& boundary) {
  Index width = 0;
  Offset entries = 0;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static) \
    reduction(max : width) reduction(+ : entries)
  for (Index i = 0; i < a.rows; ++i) {
    const Index count = reference_count(a, i, boundary);
    width = std::max(width, count);
    entries += count;
  }
  if (boundary.by == Boundary::By::count) width = boundary.value;
  return {width, entries};
}

std::size_t hybrid_bytes(Index rows, Index width, Offset expansion_entries, Precision precision,
                         int components) {
  return rows * sizeof(Index) + (static_cast<std::size_t>(rows) + 1) * sizeof(Offset) +
         entry_bytes(Offset{rows} * width + expansion_entries, rows, precision, components);
}

std::size_t hybrid_bytes(const CsrMatrix& a, const FormatOptions& options) {
  const ReferencePart part = reference_part(a, resolve_boundary(a, options.boundary));
  return hybrid_bytes(a.rows, part.width, a.nonzeros() - part.entries, options.off_diagonal,
                      a.components);
}

void dump_hybrid(const CsrMatrix& a, const FormatOptions& options, ArraySink& sink) {
  with_components(a.components, [&](auto d) {
    using Value = FieldElement<d.value>;
    const auto h = to_hybrid(a, field_elements<d.value>(a), options.boundary);
    sink.scalar("boundary", h.boundary);
    sink.array("reference_counts", h.reference_counts);
    sink.array("reference_columns", h.reference_columns, {h.rows, h.boundary});
    put_elements<Value>(sink, "reference_values", h.reference_values, {h.rows, h.boundary});
    sink.array("expansion_offsets", h.expansion_offsets);
    sink.array("expansion_columns", h.expansion_columns);
    put_elements<Value>(sink, "expansion_values", h.expansion_values);
  });
}

}  // namespace

template <class Value>
std::size_t HybridArrays<Value>::bytes() const {
  return hybrid_bytes(rows, boundary, expansion_offsets.empty() ? 0 : expansion_offsets.back(),
                      precision_of<Value>, components_of<Value>);
}

template <class Value>
Offset HybridArrays<Value>::padding() const {
  Offset used = 0;
  for (const Index count : reference_counts) used += count;
  return Offset{rows} * boundary - used;
}

Boundary resolve_boundary(const CsrMatrix& a, const Boundary& requested) {
  if (requested.by != Boundary::By::automatic) {
    if (requested.value < 0 || requested.value > a.columns) {
      throw InputError("hybrid: a boundary of " + std::to_string(requested.value) +
                       " is outside 0 … " + std::to_string(a.columns) + ", the columns");
    }
    return requested;
  }
  const RowStatistics lengths = row_statistics(a);
  std::vector<Offset> rows_of_length(lengths.maximum + 1, 0);
  for (Index i = 0; i < a.rows; ++i) ++rows_of_length[a.row_length(i)];

  // Widening from w to w + 1 pads every row of at most w entries by one more.
  const Index step = lengths.mean < 64 ? 8 : 32;
  const double allowed = 0.02 * static_cast<double>(a.nonzeros());
  Offset padding = 0, shorter_rows = 0;
  Index chosen = 0;
  for (Index width = 1; width <= lengths.maximum; ++width) {
    shorter_rows += rows_of_length[width - 1];
    padding += shorter_rows;
    if (static_cast<double>(padding) > allowed) break;
    if (width % step == 0) chosen = width;
  }
  return {Boundary::By::count, chosen};
}

Regions part_regions(const CsrMatrix& a, const Boundary& requested) {
  const Boundary boundary = resolve_boundary(a, requested);
  const auto outline = [&](Index columns) {
    return CsrMatrix{a.rows, columns, Array<Offset>(static_cast<std::size_t>(a.rows) + 1), {}, {}};
  };
  Regions regions{boundary, reference_part(a, boundary).width, outline(boundary.value),
                  outline(a.columns - boundary.value)};
  Array<Offset>& reference = regions.reference.row_offsets;
  Array<Offset>& expansion = regions.expansion.row_offsets;
  reference[0] = expansion[0] = 0;
  for (Index i = 0; i < a.rows; ++i) {
    const Index count = reference_count(a, i, boundary);
    reference[i + 1] = reference[i] + count;
    expansion[i + 1] = expansion[i] + a.row_length(i) - count;
  }
  return regions;
}

template <class Value>
HybridArrays<Value> to_hybrid(const CsrMatrix& a, const Value* entry_values,
                              const Boundary& requested) {
  Regions regions = part_regions(a, requested);
  HybridArrays<Value> h;
  h.rows = a.rows;
  h.columns = a.columns;
  h.boundary = regions.width;
  h.reference_counts = Array<Index>(a.rows);
  for (Index i = 0; i < a.rows; ++i) {
    h.reference_counts[i] = static_cast<Index>(regions.reference.row_length(i));
  }
  h.expansion_offsets = std::move(regions.expansion.row_offsets);
  h.reference_columns = Array<Index>(static_cast<std::size_t>(a.rows) * h.boundary);
  h.reference_values = Array<Value>(h.reference_columns.size());
  h.expansion_columns = Array<Index>(h.expansion_offsets.back());
  h.expansion_values = Array<Value>(h.expansion_columns.size());

#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static)
  for (Index i = 0; i < a.rows; ++i) {
    const Index count = h.reference_counts[i];
    const Index* columns = a.column_indices.data() + a.row_offsets[i];
    const Value* values = entry_values + a.row_offsets[i];
    const Offset row = Offset{i} * h.boundary;
    std::copy_n(columns, count, h.reference_columns.data() + row);
    std::copy_n(values, count, h.reference_values.data() + row);
    std::fill_n(h.reference_columns.data() + row + count, h.boundary - count,
                count > 0 ? columns[count - 1] : 0);
    std::fill_n(h.reference_values.data() + row + count, h.boundary - count, Value{});
    const Offset rest = a.row_length(i) - count;
    std::copy_n(columns + count, rest, h.expansion_columns.data() + h.expansion_offsets[i]);
    std::copy_n(values + count, rest, h.expansion_values.data() + h.expansion_offsets[i]);
  }
  return h;
}

HybridMatrix to_hybrid(const CsrMatrix& a, const Boundary& boundary) {
  return to_hybrid(a, a.values.data(), boundary);
}

#define CISOLVE_HYBRID(Value)          \
  template struct HybridArrays<Value>; \
  template HybridArrays<Value> to_hybrid(const CsrMatrix&, const Value*, const Boundary&);
CISOLVE_HYBRID(double)
CISOLVE_HYBRID(float)
CISOLVE_HYBRID(FieldElement<2>)
CISOLVE_HYBRID(FieldElement<4>)
#undef CISOLVE_HYBRID

Format hybrid_format() {
  return {.name = "hybrid",
          .description = "ELLPACK reference region, CSR expansion space",
          .bytes = hybrid_bytes,
          .cpu = make_hybrid_cpu,
          .cuda = make_hybrid_cuda,
          .cpu_single = make_hybrid_single_cpu,
          .cuda_single = make_hybrid_single_cuda,
          .dump = dump_hybrid,
          .components = 4,
          .cuda_components = 4,
          .parts_rows = true,
          .scratch = contiguous_scratch};
}

}  // namespace cisolve
