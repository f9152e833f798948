#include "formats/packed/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "formats/array_sink.hpp"
#include "formats/packed/groups.hpp"
#include "formats/packed/plan.hpp"
#include "formats/shared/row_order.hpp"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

/// pack_slice of the slice's rows for that packing, which is not none.
template <class Coded, class Plain>
SliceEntries pack_slice_of(const CsrMatrix& a, Packing packing, const Encoder& encode,
                           std::span<const Index> rows, Coded coded, Plain plain) {
  if (packing == Packing::coded_far) return pack_slice<Index>(a, &encode, rows, coded, plain);
  return pack_slice<std::uint16_t>(a, packing == Packing::plain_near ? nullptr : &encode, rows,
                                   coded, plain);
}

std::span<const Index> slice_rows(const PackedMatrix& m, Index slice) {
  const Offset first = Offset{slice} * packed_rows;
  return {m.row_order.data() + first,
          static_cast<std::size_t>(std::min<Offset>(packed_rows, m.rows - first))};
}

void to_running_sums(Array<Offset>& counts) {
  counts[0] = 0;
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

/// Groups of every slice and entries of every row that are in none.
void count_groups(const CsrMatrix& a, PackedMatrix& m) {
  const Encoder encode(m.dictionary);
  FirstException exception;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 4)
  for (Index s = 0; s < m.slices(); ++s) {
    exception.guard([&] {
      const std::span<const Index> rows = slice_rows(m, s);
      Offset coded = 0, plain = 0;
      const SliceEntries left = pack_slice_of(
          a, m.packing, encode, rows, [&](const auto&) { ++coded; }, [&](const auto&) { ++plain; });
      m.slice_offsets[s + 1] = coded;
      m.plain_slice_offsets[s + 1] = plain;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        m.expansion_offsets[rows[r] + 1] = static_cast<Offset>(left[r].size());
      }
    });
  }
  exception.rethrow();
  sum_counts(m);
}

template <class From, class To>
void copy_group(const From& from, Offset g, Array<To>& to) {
  std::copy_n(&from[0][0], packed_group, to.data() + g * packed_group);
}

template <class Place>
void store(const PackedGroup<Place, std::uint16_t>& group, Offset g, PackedMatrix& m) {
  if constexpr (has_bases<Place>) {
    std::copy_n(group.bases, packed_steps, m.bases.data() + g * packed_steps);
    copy_group(group.places, g, m.column_offsets);
  } else {
    copy_group(group.places, g, m.column_indices);
  }
  copy_group(group.elements, g, m.codes);
}

void store(const PackedGroup<std::uint16_t, double>& group, Offset g, PackedMatrix& m) {
  std::copy_n(group.bases, packed_steps, m.plain_bases.data() + g * packed_steps);
  copy_group(group.places, g, m.plain_column_offsets);
  copy_group(group.elements, g, m.plain_values);
}

void store_expansion(const CsrMatrix& a, const std::vector<Offset>& entries, Index row,
                     PackedMatrix& m) {
  if (entries.empty()) return;
  Offset to = m.expansion_offsets[row];
  for (const Offset entry : entries) {
    m.expansion_columns[to] = a.column_indices[entry];
    m.expansion_values[to++] = a.values[entry];
  }
}

void fill_groups(const CsrMatrix& a, PackedMatrix& m) {
  const Encoder encode(m.dictionary);
  FirstException exception;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 4)
  for (Index s = 0; s < m.slices(); ++s) {
    exception.guard([&] {
      const std::span<const Index> rows = slice_rows(m, s);
      Offset coded = m.slice_offsets[s], plain = m.plain_slice_offsets[s];
      const SliceEntries left = pack_slice_of(
          a, m.packing, encode, rows, [&](const auto& group) { store(group, coded++, m); },
          [&](const auto& group) { store(group, plain++, m); });
      for (std::size_t r = 0; r < rows.size(); ++r) store_expansion(a, left[r], rows[r], m);
    });
  }
  exception.rethrow();
}

void require_numbers(const CsrMatrix& a) {
  Offset first = a.nonzeros();
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static) reduction(min : first)
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    if (std::isnan(a.values[e])) first = std::min(first, e);
  }
  if (first == a.nonzeros()) return;
  const auto behind = std::ranges::upper_bound(a.row_offsets, first) - a.row_offsets.begin();
  throw not_a_number(static_cast<Index>(behind - 1), a.column_indices[first]);
}

PackedMatrix plan(const CsrMatrix& a, Packing packing, const Array<double>& dictionary) {
  PackedMatrix m = uncounted_plan(a.row_offsets, a.columns, packing, dictionary);
  if (packing != Packing::none) count_groups(a, m);
  return m;
}

std::size_t predicted_bytes(const CsrMatrix& a, const FormatOptions&) {
  return plan_packed(a).bytes();
}

std::size_t most_bytes(const CsrMatrix& a) {
  return CsrMatrix::bytes(a.rows, a.nonzeros());
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
  if (!m.dictionary.empty()) sink.array("dictionary", m.dictionary);
  if (plain > 0) {
    sink.array("plain_bases", m.plain_bases, {plain, packed_steps});
    sink.array("plain_column_offsets", m.plain_column_offsets, shape(plain));
    sink.array("plain_values", m.plain_values, shape(plain));
  }
  if (m.expansion_offsets.empty()) return;
  sink.array("expansion_offsets", m.expansion_offsets);
  sink.array("expansion_columns", m.expansion_columns);
  sink.array("expansion_values", m.expansion_values);
}

/// "4.2 %"
std::string share(Offset part, Offset nonzeros) {
  const Offset tenths = nonzeros == 0 ? 0 : (1000 * part + nonzeros / 2) / nonzeros;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

}  // namespace

std::size_t PackedMatrix::bytes() const {
  const std::size_t coded = packing == Packing::coded_far
                                ? PackedGroup<Index, std::uint16_t>::bytes
                                : PackedGroup<std::uint16_t, std::uint16_t>::bytes;
  return static_cast<std::size_t>(coded_groups()) * coded +
         static_cast<std::size_t>(plain_groups()) * PackedGroup<std::uint16_t, double>::bytes +
         (slice_offsets.size() + plain_slice_offsets.size()) * sizeof(Offset) +
         row_order.size() * sizeof(Index) + dictionary.size() * sizeof(double) +
         expansion_offsets.size() * sizeof(Offset) +
         static_cast<std::size_t>(expansion()) * (sizeof(Index) + sizeof(double));
}

Offset PackedMatrix::padding(Offset nonzeros) const {
  return (coded_groups() + plain_groups()) * packed_group - (nonzeros - expansion());
}

std::string PackedMatrix::description(Offset nonzeros) const {
  if (packing == Packing::none) return "nothing packed: CSR takes least";
  std::string text = name_of(packing);
  if (is_coded(packing)) {
    text += ", " + std::to_string(dictionary.size() - 1) + " magnitudes, " +
            share(plain_groups() * packed_group, nonzeros) + " plain";
  }
  return text + ", " + share(expansion(), nonzeros) + " in the expansion";
}

PackedMatrix uncounted_plan(const Array<Offset>& row_offsets, Index columns, Packing packing,
                            const Array<double>& dictionary) {
  PackedMatrix m;
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

PackedMatrix plan_packed(const CsrMatrix& a, Packing packing) {
  require_real(a, "packing");
  require_numbers(a);
  return plan(a, packing, is_coded(packing) ? frequent_magnitudes(a) : Array<double>());
}

PackedMatrix plan_packed(const CsrMatrix& a) {
  require_real(a, "packing");
  require_numbers(a);
  const Array<double> dictionary = frequent_magnitudes(a);
  return plan_of_fewest_bytes(a.rows, a.nonzeros(),
                              [&](Packing packing) { return plan(a, packing, dictionary); });
}

PackedMatrix to_packed(const CsrMatrix& a, PackedMatrix m) {
  m.expansion_columns = Array<Index>(m.expansion());
  m.expansion_values = Array<double>(m.expansion());
  if (m.packing == Packing::none) {
    std::ranges::copy(a.column_indices, m.expansion_columns.begin());
    std::ranges::copy(a.values, m.expansion_values.begin());
    return m;
  }
  const auto coded = static_cast<std::size_t>(m.coded_groups());
  const auto plain = static_cast<std::size_t>(m.plain_groups());
  if (m.packing == Packing::coded_far) {
    m.column_indices = Array<Index>(coded * packed_group);
  } else {
    m.bases = Array<Index>(coded * packed_steps);
    m.column_offsets = Array<std::uint16_t>(coded * packed_group);
  }
  m.codes = Array<std::uint16_t>(coded * packed_group);
  m.plain_bases = Array<Index>(plain * packed_steps);
  m.plain_column_offsets = Array<std::uint16_t>(plain * packed_group);
  m.plain_values = Array<double>(plain * packed_group);
  fill_groups(a, m);
  return m;
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
      .scratch = contiguous_scratch};
}

}  // namespace cisolve
