#include "formats/packed/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/packed/groups.hpp"
#include "formats/packed/plan.hpp"
#include "formats/shared/row_order.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

void to_running_sums(Array<Offset>& counts) {
  counts[0] = 0;
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

std::size_t predicted_bytes(const CsrMatrix& a, const FormatOptions&) {
  return plan_packed(a).bytes();
}

std::size_t most_bytes(const CsrMatrix& a) {
  return CsrMatrix::bytes(a.rows, a.nonzeros(), a.components);
}

/// Numbers of the matrix's elements.
void put_numbers(ArraySink& sink, const std::string& name, const PackedMatrix& m,
                 const Array<double>& numbers, std::vector<std::int64_t> shape = {}) {
  if (m.components == 2) {
    const auto* const pairs = reinterpret_cast<const FieldElement<2>*>(numbers.data());
    put_elements(sink, name, std::span(pairs, numbers.size() / 2), std::move(shape));
  } else {
    sink.array(name, numbers, shape);
  }
}

void dump(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const PackedMatrix m = to_packed(a);
  const auto shape = [](Offset groups) {
    return std::vector<std::int64_t>{groups, packed_rows, packed_steps};
  };
  if (m.packing != Packing::none) {
    sink.array("row_order", m.row_order);
    sink.array("slice_offsets", m.slice_offsets);
    sink.array("plain_slice_offsets", m.plain_slice_offsets);
  }
  const Offset coded = m.coded_groups(), plain = m.plain_groups();
  if (!m.bases.empty()) sink.array("bases", m.bases, {coded, packed_steps});
  if (!m.column_offsets.empty()) sink.array("column_offsets", m.column_offsets, shape(coded));
  if (!m.column_indices.empty()) sink.array("column_indices", m.column_indices, shape(coded));
  if (!m.codes.empty()) sink.array("codes", m.codes, shape(coded));
  if (!m.dictionary.empty()) put_numbers(sink, "dictionary", m, m.dictionary);
  if (plain > 0) {
    sink.array("plain_bases", m.plain_bases, {plain, packed_steps});
    sink.array("plain_column_offsets", m.plain_column_offsets, shape(plain));
    put_numbers(sink, "plain_values", m, m.plain_values, shape(plain));
  }
  if (m.expansion_offsets.empty()) return;
  sink.array("expansion_offsets", m.expansion_offsets);
  sink.array("expansion_columns", m.expansion_columns);
  put_numbers(sink, "expansion_values", m, m.expansion_values);
}

/// Memory for contiguous X of pieces of at most 8 numbers, that of complex vectors too.
std::size_t scratch(const CsrMatrix& outline, const FormatOptions&, BackendKind backend,
                    int vectors) {
  if (backend == BackendKind::cpu || vectors == 1) return 0;
  const std::size_t numbers = std::min(vectors * outline.components, 8);
  return numbers * outline.columns * sizeof(double);
}

/// "4.2 %"
std::string share(Offset part, Offset nonzeros) {
  const Offset tenths = nonzeros == 0 ? 0 : (1000 * part + nonzeros / 2) / nonzeros;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

}  // namespace

std::size_t PackedMatrix::bytes() const {
  const std::size_t coded =
      packing == Packing::coded_far ? FarGroup<1>::bytes : CodedGroup<1>::bytes;
  const std::size_t plain = components == 2 ? PlainGroup<2>::bytes : PlainGroup<1>::bytes;
  return static_cast<std::size_t>(coded_groups()) * coded +
         static_cast<std::size_t>(plain_groups()) * plain +
         (slice_offsets.size() + plain_slice_offsets.size()) * sizeof(Offset) +
         row_order.size() * sizeof(Index) + dictionary.size() * sizeof(double) +
         expansion_offsets.size() * sizeof(Offset) +
         static_cast<std::size_t>(expansion()) * (sizeof(Index) + components * sizeof(double));
}

Offset PackedMatrix::padding(Offset nonzeros) const {
  return (coded_groups() + plain_groups()) * packed_group - (nonzeros - expansion());
}

std::string PackedMatrix::description(Offset nonzeros) const {
  if (packing == Packing::none) return "nothing packed: CSR takes least";
  std::string text = name_of(packing);
  if (is_coded(packing)) {
    text += ", " + std::to_string(dictionary.size() / components - 1) + " magnitudes, " +
            share(plain_groups() * packed_group, nonzeros) + " plain";
  }
  return text + ", " + share(expansion(), nonzeros) + " in the expansion";
}

PackedMatrix uncounted_plan(const Array<Offset>& row_offsets, Index columns, Packing packing,
                            const Array<double>& dictionary, int components) {
  PackedMatrix m;
  m.components = components;
  m.rows = static_cast<Index>(row_offsets.size()) - 1;
  m.columns = columns;
  m.packing = packing;
  m.expansion_offsets = row_offsets;
  if (packing == Packing::none) return m;
  const std::size_t slices = (static_cast<std::size_t>(m.rows) + packed_rows - 1) / packed_rows;
  m.row_order = rows_by_length(row_offsets, packed_window);
  m.slice_offsets = Array<Offset>(slices + 1);
  m.plain_slice_offsets = Array<Offset>(slices + 1);
  if (is_coded(packing)) m.dictionary = dictionary;
  return m;
}

void sum_counts(PackedMatrix& plan) {
  to_running_sums(plan.slice_offsets);
  to_running_sums(plan.plain_slice_offsets);
  to_running_sums(plan.expansion_offsets);
  if (plan.expansion() == 0) plan.expansion_offsets = {};
}

PackedMatrix plan_of_fewest_bytes(Index rows, Offset nonzeros,
                                  const std::function<PackedMatrix(Packing)>& plan) {
  const std::size_t csr = CsrMatrix::bytes(rows, nonzeros);
  PackedMatrix best = plan(Packing::none);
  for (const Packing packing : {Packing::coded_near, Packing::coded_far, Packing::plain_near}) {
    PackedMatrix other = plan(packing);
    if (other.bytes() < best.bytes()) best = std::move(other);
    if (best.bytes() <= csr / 2) break;  // the next ones take 6 bytes and more an entry
  }
  return best;
}

InputError not_a_number(Index i, Index j) {
  return InputError("packed: element (" + std::to_string(Offset{i} + 1) + ", " +
                    std::to_string(Offset{j} + 1) +
                    ") is NaN, expected a number: it has no magnitude");
}

std::unique_ptr<LinearOperator> make_packed(PackedMatrix m, Offset nonzeros, Backend& backend) {
  if (backend.kind() == BackendKind::cpu) return adopt_packed(std::move(m), nonzeros, backend);
  return upload_packed(m, nonzeros, backend);
}

Format packed_format() {
  return {
      .name = "packed",
      .description = "slices of 16-bit columns and 16-bit codes of repeating elements, CSR rest",
      .bytes = predicted_bytes,
      .most_bytes = most_bytes,
      .cpu = make_packed_cpu,
      .cuda = make_packed_cuda,
      .cuda_from_rows = make_packed_from_rows,
      .expected_bytes = expected_packed_bytes,
      .dump = dump,
      .components = 2,
      .cuda_components = 2,
      .scratch = scratch};
}

}  // namespace cisolve
