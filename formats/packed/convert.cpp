#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "formats/packed/groups.hpp"
#include "formats/packed/packed.hpp"
#include "formats/packed/plan.hpp"

// The conversion on the host: a pass that counts, and one that fills.

namespace cisolve {
namespace {

/// pack_slice of the slice's rows for that packing, which is not none.
template <int D, class Coded, class Plain>
SliceEntries pack_slice_of(const CsrMatrix& a, Packing packing, const Encoder<D>& encode,
                           std::span<const Index> rows, Coded coded, Plain plain) {
  if (packing == Packing::coded_far) return pack_slice<D, Index>(a, &encode, rows, coded, plain);
  return pack_slice<D, std::uint16_t>(a, packing == Packing::plain_near ? nullptr : &encode, rows,
                                      coded, plain);
}

std::span<const Index> slice_rows(const PackedMatrix& m, Index slice) {
  const Offset first = Offset{slice} * packed_rows;
  return {m.row_order.data() + first,
          static_cast<std::size_t>(std::min<Offset>(packed_rows, m.rows - first))};
}

/// Calls visit(slice, rows) for all slices, among threads.
template <class Visit>
void for_each_slice(const CsrMatrix& a, const PackedMatrix& m, const Visit& visit) {
  FirstException exception;
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(dynamic, 4)
  for (Index s = 0; s < m.slices(); ++s) {
    exception.guard([&] { visit(s, slice_rows(m, s)); });
  }
  exception.rethrow();
}

/// Groups of every slice and entries of every row that are in none.
template <int D>
void count_groups(const CsrMatrix& a, PackedMatrix& m) {
  const Encoder<D> encode(m.dictionary);
  for_each_slice(a, m, [&](Index s, std::span<const Index> rows) {
    Offset coded = 0, plain = 0;
    const SliceEntries left = pack_slice_of(
        a, m.packing, encode, rows, [&](const auto&) { ++coded; }, [&](const auto&) { ++plain; });
    m.slice_offsets[s + 1] = coded;
    m.plain_slice_offsets[s + 1] = plain;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      m.expansion_offsets[rows[r] + 1] = static_cast<Offset>(left[r].size());
    }
  });
  sum_counts(m);
}

template <class From, class To>
void copy_group(const From& from, Offset g, To* to) {
  std::copy_n(&from[0][0], packed_group, to + g * packed_group);
}

template <class Place, int D>
void store(const PackedGroup<Place, std::uint16_t, D>& group, Offset g, PackedMatrix& m) {
  if constexpr (has_bases<Place>) {
    std::copy_n(group.bases, packed_steps, m.bases.data() + g * packed_steps);
    copy_group(group.places, g, m.column_offsets.data());
  } else {
    copy_group(group.places, g, m.column_indices.data());
  }
  copy_group(group.elements, g, m.codes.data());
}

template <int D>
void store_plain(const PlainGroup<D>& group, Offset g, PackedMatrix& m) {
  std::copy_n(group.bases, packed_steps, m.plain_bases.data() + g * packed_steps);
  copy_group(group.places, g, m.plain_column_offsets.data());
  copy_group(group.elements, g, reinterpret_cast<FieldElement<D>*>(m.plain_values.data()));
}

template <int D>
void store_expansion(const CsrMatrix& a, const std::vector<Offset>& entries, Index row,
                     PackedMatrix& m) {
  if (entries.empty()) return;
  Offset to = m.expansion_offsets[row];
  for (const Offset entry : entries) {
    m.expansion_columns[to] = a.column_indices[entry];
    std::copy_n(a.values.data() + entry * D, D, m.expansion_values.data() + to * D);
    ++to;
  }
}

template <int D>
void fill_groups(const CsrMatrix& a, PackedMatrix& m) {
  const Encoder<D> encode(m.dictionary);
  for_each_slice(a, m, [&](Index s, std::span<const Index> rows) {
    Offset coded = m.slice_offsets[s], plain = m.plain_slice_offsets[s];
    const SliceEntries left = pack_slice_of(
        a, m.packing, encode, rows, [&](const auto& group) { store(group, coded++, m); },
        [&](const auto& group) { store_plain<D>(group, plain++, m); });
    for (std::size_t r = 0; r < rows.size(); ++r) store_expansion<D>(a, left[r], rows[r], m);
  });
}

void require_numbers(const CsrMatrix& a) {
  const int d = a.components;
  Offset first = a.nonzeros();
#pragma omp parallel for if (worth_threads(a.nonzeros())) schedule(static) reduction(min : first)
  for (Offset e = 0; e < a.nonzeros() * d; ++e) {
    if (std::isnan(a.values[e])) first = std::min(first, e / d);
  }
  if (first == a.nonzeros()) return;
  const auto behind = std::ranges::upper_bound(a.row_offsets, first) - a.row_offsets.begin();
  throw not_a_number(static_cast<Index>(behind - 1), a.column_indices[first]);
}

PackedMatrix plan(const CsrMatrix& a, Packing packing, const Array<double>& dictionary) {
  PackedMatrix m = uncounted_plan(a.row_offsets, a.columns, packing, dictionary, a.components);
  if (packing == Packing::none) return m;
  if (a.components == 2) {
    count_groups<2>(a, m);
  } else {
    count_groups<1>(a, m);
  }
  return m;
}

/// Throws InputError on quaternions, which codes have no signs for, and on NaN.
void require_packable(const CsrMatrix& a) {
  if (a.components > 2) {
    throw InputError("packing: the elements are quaternions, expected real or complex ones");
  }
  require_numbers(a);
}

}  // namespace

PackedMatrix plan_packed(const CsrMatrix& a, Packing packing) {
  require_packable(a);
  return plan(a, packing, is_coded(packing) ? frequent_magnitudes(a) : Array<double>());
}

PackedMatrix plan_packed(const CsrMatrix& a) {
  require_packable(a);
  const Array<double> dictionary = frequent_magnitudes(a);
  return plan_of_fewest_bytes(a.rows, a.nonzeros(),
                              [&](Packing packing) { return plan(a, packing, dictionary); });
}

PackedMatrix to_packed(const CsrMatrix& a, PackedMatrix m) {
  m.expansion_columns = Array<Index>(m.expansion());
  m.expansion_values = Array<double>(m.expansion() * m.components);
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
  m.plain_values = Array<double>(plain * packed_group * m.components);
  if (a.components == 2) {
    fill_groups<2>(a, m);
  } else {
    fill_groups<1>(a, m);
  }
  return m;
}

}  // namespace cisolve
