#include "formats/packed/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "formats/packed/groups.hpp"
#include "formats/row_order.hpp"
#include "formats/stored_operator.hpp"
#include "spmv/array_sink.hpp"

namespace cisolve {
namespace {

constexpr Offset sort_window = 1024;

constexpr std::size_t group_bytes(Packing packing) {
  switch (packing) {
    case Packing::none:
      return 0;
    case Packing::coded_near:
      return PackedGroup<std::uint16_t, std::uint16_t>::bytes;
    case Packing::coded_far:
      return PackedGroup<Index, std::uint16_t>::bytes;
    case Packing::plain_near:
      return PackedGroup<std::uint16_t, double>::bytes;
  }
  return 0;
}

bool is_coded(Packing packing) {
  return packing == Packing::coded_near || packing == Packing::coded_far;
}

/// f(a SliceWalk's place type, its elements) for that packing, which is not none.
template <class F>
void with_types(Packing packing, const Array<double>& dictionary, F f) {
  if (packing == Packing::plain_near) {
    f(std::uint16_t{}, PlainElements{});
  } else if (packing == Packing::coded_near) {
    f(std::uint16_t{}, CodedElements{Encoder(dictionary)});
  } else {
    f(Index{}, CodedElements{Encoder(dictionary)});
  }
}

std::span<const Index> slice_rows(const PackedMatrix& m, Index slice) {
  const Offset first = Offset{slice} * packed_rows;
  return {m.row_order.data() + first,
          static_cast<std::size_t>(std::min<Offset>(packed_rows, m.rows - first))};
}

/// Groups of every slice and entries of every row that are not packed, as running sums.
template <class Place, class Elements>
void count_entries(const CsrMatrix& a, const Elements& elements, PackedMatrix& m) {
#pragma omp parallel for schedule(dynamic, 4)
  for (Index s = 0; s < m.slices(); ++s) {
    const std::span<const Index> rows = slice_rows(m, s);
    SliceWalk<Place, Elements> walk(a, elements, rows);
    typename SliceWalk<Place, Elements>::Group group;
    Offset groups = 0;
    Offset packed[packed_rows] = {};
    while (walk.take(group)) {
      if (!group.is_stored()) continue;
      ++groups;
      for (Index r = 0; r < packed_rows; ++r) {
        for (const Offset entry : group.entries[r]) packed[r] += entry >= 0;
      }
    }
    m.slice_offsets[s + 1] = groups;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      m.expansion_offsets[rows[r] + 1] = a.row_length(rows[r]) - packed[r];
    }
  }
  m.slice_offsets[0] = m.expansion_offsets[0] = 0;
  std::partial_sum(m.slice_offsets.begin(), m.slice_offsets.end(), m.slice_offsets.begin());
  std::partial_sum(m.expansion_offsets.begin(), m.expansion_offsets.end(),
                   m.expansion_offsets.begin());
}

/// Copies the entries of a row that are not packed to its expansion.
class RowExpansion {
 public:
  RowExpansion(const CsrMatrix& a, PackedMatrix& m, Index row)
      : a_(a), m_(m), next_(a.row_offsets[row]), to_(m.expansion_offsets[row]) {}
  /// Up to entry `packed`, which is not copied.
  void pass(Offset packed) {
    for (; next_ < packed; ++next_, ++to_) {
      m_.expansion_columns[to_] = a_.column_indices[next_];
      m_.expansion_values[to_] = a_.values[next_];
    }
    ++next_;
  }

 private:
  const CsrMatrix& a_;
  PackedMatrix& m_;
  Offset next_, to_;
};

template <class Place, class Element>
void store(const PackedGroup<Place, Element>& group, Offset g, PackedMatrix& m) {
  const auto copy = [&](const auto& from, auto& to) {
    std::copy_n(&from[0][0], packed_group, to.data() + g * packed_group);
  };
  if constexpr (has_bases<Place>) {
    std::copy_n(group.bases, packed_steps, m.bases.data() + g * packed_steps);
    copy(group.places, m.column_offsets);
  } else {
    copy(group.places, m.column_indices);
  }
  if constexpr (is_code<Element>) {
    copy(group.elements, m.codes);
  } else {
    copy(group.elements, m.values);
  }
}

template <class Place, class Elements>
void fill_entries(const CsrMatrix& a, const Elements& elements, PackedMatrix& m) {
#pragma omp parallel for schedule(dynamic, 4)
  for (Index s = 0; s < m.slices(); ++s) {
    const std::span<const Index> rows = slice_rows(m, s);
    std::vector<RowExpansion> expansions;
    for (const Index row : rows) expansions.emplace_back(a, m, row);
    SliceWalk<Place, Elements> walk(a, elements, rows);
    typename SliceWalk<Place, Elements>::Group group;
    Offset g = m.slice_offsets[s];
    while (walk.take(group)) {
      if (!group.is_stored()) continue;
      store(group, g++, m);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (const Offset entry : group.entries[r]) {
          if (entry >= 0) expansions[r].pass(entry);
        }
      }
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      expansions[r].pass(a.row_offsets[rows[r] + 1]);
    }
  }
}

void require_numbers(const CsrMatrix& a) {
  Offset first = a.nonzeros();
#pragma omp parallel for schedule(static) reduction(min : first)
  for (Offset e = 0; e < a.nonzeros(); ++e) {
    if (std::isnan(a.values[e])) first = std::min(first, e);
  }
  if (first == a.nonzeros()) return;
  const auto row = std::ranges::upper_bound(a.row_offsets, first) - a.row_offsets.begin();
  throw InputError("packed: element (" + std::to_string(row) + ", " +
                   std::to_string(a.column_indices[first] + 1) +
                   ") is NaN, expected a number: it has no magnitude");
}

PackedMatrix plan(const CsrMatrix& a, Packing packing, const Array<double>& dictionary) {
  PackedMatrix m;
  m.rows = a.rows;
  m.columns = a.columns;
  m.packing = packing;
  m.expansion_offsets = a.row_offsets;
  if (packing == Packing::none) return m;
  m.row_order = rows_by_length(a, sort_window);
  m.slice_offsets =
      Array<Offset>((static_cast<std::size_t>(a.rows) + packed_rows - 1) / packed_rows + 1);
  if (is_coded(packing)) m.dictionary = dictionary;
  with_types(packing, dictionary, [&](auto place, const auto& elements) {
    count_entries<decltype(place)>(a, elements, m);
  });
  return m;
}

std::size_t predicted_bytes(const CsrMatrix& a, const FormatOptions&) {
  return plan_packed(a).bytes();
}

const char* name_of(Packing packing) {
  switch (packing) {
    case Packing::none:
      return "none";
    case Packing::coded_near:
      return "coded_near";
    case Packing::coded_far:
      return "coded_far";
    case Packing::plain_near:
      return "plain_near";
  }
  return "";
}

void dump(const CsrMatrix& a, const FormatOptions&, ArraySink& sink) {
  const PackedMatrix m = to_packed(a);
  const std::vector<std::int64_t> shape{m.groups(), packed_rows, packed_steps};
  if (m.packing != Packing::none) {
    sink.array("row_order", m.row_order);
    sink.array("slice_offsets", m.slice_offsets);
  }
  if (!m.bases.empty()) sink.array("bases", m.bases, {m.groups(), packed_steps});
  if (!m.column_offsets.empty()) sink.array("column_offsets", m.column_offsets, shape);
  if (!m.column_indices.empty()) sink.array("column_indices", m.column_indices, shape);
  if (!m.codes.empty()) sink.array("codes", m.codes, shape);
  if (!m.values.empty()) sink.array("values", m.values, shape);
  if (!m.dictionary.empty()) sink.array("dictionary", m.dictionary);
  sink.array("expansion_offsets", m.expansion_offsets);
  sink.array("expansion_columns", m.expansion_columns);
  sink.array("expansion_values", m.expansion_values);
}

}  // namespace

std::size_t PackedMatrix::bytes() const {
  const std::size_t expansion = expansion_offsets.empty() ? 0 : expansion_offsets.back();
  return static_cast<std::size_t>(groups()) * group_bytes(packing) +
         slice_offsets.size() * sizeof(Offset) + row_order.size() * sizeof(Index) +
         dictionary.size() * sizeof(double) + expansion_offsets.size() * sizeof(Offset) +
         expansion * (sizeof(Index) + sizeof(double));
}

Offset PackedMatrix::padding(Offset nonzeros) const {
  return groups() * packed_group - (nonzeros - expansion_offsets.back());
}

std::string PackedMatrix::description(Offset nonzeros) const {
  if (packing == Packing::none) return "nothing packed: CSR takes least";
  std::string text = name_of(packing);
  if (is_coded(packing)) text += ", " + std::to_string(dictionary.size() - 1) + " magnitudes";
  const auto tenths =
      nonzeros == 0 ? 0 : (1000 * expansion_offsets.back() + nonzeros / 2) / nonzeros;
  return text + ", " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         " % in the expansion";
}

PackedMatrix plan_packed(const CsrMatrix& a, Packing packing) {
  require_numbers(a);
  return plan(a, packing, is_coded(packing) ? frequent_magnitudes(a) : Array<double>());
}

PackedMatrix plan_packed(const CsrMatrix& a) {
  require_numbers(a);
  const Array<double> dictionary = frequent_magnitudes(a);
  const std::size_t csr = CsrMatrix::bytes(a.rows, a.nonzeros());
  PackedMatrix best = plan(a, Packing::none, dictionary);
  for (const Packing packing : {Packing::coded_near, Packing::coded_far, Packing::plain_near}) {
    PackedMatrix other = plan(a, packing, dictionary);
    if (other.bytes() < best.bytes()) best = std::move(other);
    if (best.bytes() <= csr / 2) break;  // the next ones take 6 bytes and more an entry
  }
  return best;
}

PackedMatrix to_packed(const CsrMatrix& a, PackedMatrix m) {
  m.expansion_columns = Array<Index>(m.expansion_offsets.back());
  m.expansion_values = Array<double>(m.expansion_offsets.back());
  if (m.packing == Packing::none) {
    std::ranges::copy(a.column_indices, m.expansion_columns.begin());
    std::ranges::copy(a.values, m.expansion_values.begin());
    return m;
  }
  const auto entries = static_cast<std::size_t>(m.groups() * packed_group);
  const bool near = m.packing != Packing::coded_far, coded = is_coded(m.packing);
  if (near) m.bases = Array<Index>(m.groups() * packed_steps);
  if (near) m.column_offsets = Array<std::uint16_t>(entries);
  if (!near) m.column_indices = Array<Index>(entries);
  if (coded) m.codes = Array<std::uint16_t>(entries);
  if (!coded) m.values = Array<double>(entries);
  with_types(m.packing, m.dictionary, [&](auto place, const auto& elements) {
    fill_entries<decltype(place)>(a, elements, m);
  });
  return m;
}

CsrMatrix to_csr(const PackedMatrix& m) {
  std::vector<std::vector<std::pair<Index, double>>> rows(m.rows);
  for (Index i = 0; i < m.rows; ++i) {
    for (Offset e = m.expansion_offsets[i]; e < m.expansion_offsets[i + 1]; ++e) {
      rows[i].emplace_back(m.expansion_columns[e], m.expansion_values[e]);
    }
  }
  for (Index s = 0; s < m.rows && m.packing != Packing::none; ++s) {
    const Index slice = s / packed_rows, r = s % packed_rows;
    for (Offset g = m.slice_offsets[slice]; g < m.slice_offsets[slice + 1]; ++g) {
      for (int t = 0; t < packed_steps; ++t) {
        const Offset place = g * packed_group + r * packed_steps + t;
        const bool padding = m.codes.empty() ? m.values[place] == 0.0 : m.codes[place] == 0;
        if (padding) continue;
        rows[m.row_order[s]].emplace_back(
            m.bases.empty() ? m.column_indices[place]
                            : m.bases[g * packed_steps + t] + m.column_offsets[place],
            m.codes.empty() ? m.values[place] : decoded(m.dictionary.data(), m.codes[place]));
      }
    }
  }
  CsrMatrix a{m.rows, m.columns, {0}, {}, {}};
  for (auto& row : rows) {
    std::ranges::sort(row, {}, &std::pair<Index, double>::first);
    for (const auto& [column, value] : row) {
      a.column_indices.push_back(column);
      a.values.push_back(value);
    }
    a.row_offsets.push_back(static_cast<Offset>(a.values.size()));
  }
  return a;
}

Format packed_format() {
  return {
      .name = "packed",
      .description = "slices of 16-bit columns and 16-bit codes of repeating elements, CSR rest",
      .bytes = predicted_bytes,
      .cpu = make_packed_cpu,
      .cuda = make_packed_cuda,
      .dump = dump,
      .scratch = packed_scratch};
}

}  // namespace cisolve
