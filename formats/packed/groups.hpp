#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"

// Groups from the rows of a slice: the one walk by which a packed matrix is planned and filled.

namespace cisolve {

/// Four steps of a slice of a matrix whose elements have D numbers.
template <class Place, class Element, int D = 1>
struct PackedGroup {
  Index bases[packed_steps];  ///< near only
  Place places[packed_rows][packed_steps];
  Element elements[packed_rows][packed_steps];
  Offset entries[packed_rows][packed_steps];  ///< of A, ascending; −1: padding
  int count;                                  ///< of entries

  static constexpr std::size_t bytes = packed_group * (sizeof(Place) + sizeof(Element)) +
                                       (has_bases<Place> ? packed_steps * sizeof(Index) : 0);
  /// The largest place.
  static constexpr auto reach = static_cast<std::uint32_t>(std::numeric_limits<Place>::max());
  static constexpr std::size_t entry_in_csr = sizeof(Index) + D * sizeof(double);
  /// Entries from which on it is stored: it is at most twice as large as they are in CSR. It may be
  /// larger than they, for a rest in CSR costs a second pass over Y, and offsets of its rows.
  static constexpr int fewest_stored = (bytes + 2 * entry_in_csr - 1) / (2 * entry_in_csr);
  bool is_stored() const { return count >= fewest_stored; }
};

template <int D>
using CodedGroup = PackedGroup<std::uint16_t, std::uint16_t, D>;
template <int D>
using FarGroup = PackedGroup<Index, std::uint16_t, D>;
template <int D>
using PlainGroup = PackedGroup<std::uint16_t, FieldElement<D>, D>;

/// The element as it is packed; 0 where it cannot be.
template <int D>
struct CodedElements {
  static constexpr int components = D;
  using Element = std::uint16_t;
  const Encoder<D>& encode;
  Element operator()(const FieldElement<D>& element) const { return encode(element); }
};
template <int D>
struct PlainElements {
  static constexpr int components = D;
  using Element = FieldElement<D>;
  Element operator()(const FieldElement<D>& element) const { return element; }
};

/// Walks entries of up to 32 rows of A, those that can be packed, step by step. `Entries` of a row
/// are numbers of entries, ascending.
template <class Place, class Elements, class Entries>
class SliceWalk {
 public:
  static constexpr int components = Elements::components;
  using Group = PackedGroup<Place, typename Elements::Element, components>;

  SliceWalk(const CsrMatrix& a, const Elements& elements, std::span<const Entries> rows)
      : columns_of_a_(a.column_indices.data()),
        elements_of_a_(field_elements<components>(a)),
        elements_(elements),
        rows_(rows) {
    for (std::size_t r = 0; r < packed_rows; ++r) find(r);
  }

  /// The next four steps; false where no entries are left.
  bool take(Group& group) {
    group.count = 0;
    for (int t = 0; t < packed_steps; ++t) {
      const std::uint32_t base = *std::min_element(columns_, columns_ + packed_rows);
      group.bases[t] = base == no_column ? 0 : static_cast<Index>(base);
      const std::uint32_t origin = has_bases<Place> ? base : 0;
      for (std::size_t r = 0; r < packed_rows; ++r) {
        const std::uint32_t offset = columns_[r] - origin;
        const bool takes_part = columns_[r] != no_column && offset <= Group::reach;
        group.places[r][t] = takes_part ? static_cast<Place>(offset) : Place{0};
        group.elements[r][t] = takes_part ? next_elements_[r] : Element{};
        group.entries[r][t] = takes_part ? rows_[r][next_[r]] : -1;
        if (!takes_part) continue;
        ++group.count;
        ++next_[r];
        find(r);
      }
    }
    return group.count > 0;
  }

 private:
  using Element = typename Elements::Element;
  static constexpr std::uint32_t no_column = std::numeric_limits<std::uint32_t>::max();

  /// Row r's next entry that can be packed, from the next_[r]-th on.
  void find(std::size_t r) {
    columns_[r] = no_column;
    if (r >= rows_.size()) return;
    const auto count = static_cast<Offset>(rows_[r].size());
    for (; next_[r] < count; ++next_[r]) {
      const Offset entry = rows_[r][next_[r]];
      next_elements_[r] = elements_(elements_of_a_[entry]);
      if (next_elements_[r] != Element{}) {
        columns_[r] = static_cast<std::uint32_t>(columns_of_a_[entry]);
        return;
      }
    }
  }

  const Index* columns_of_a_;
  const FieldElement<components>* elements_of_a_;
  const Elements& elements_;
  std::span<const Entries> rows_;
  Offset next_[packed_rows] = {};
  Element next_elements_[packed_rows];
  std::uint32_t columns_[packed_rows];
};

/// Entries of the rows of a slice.
using SliceEntries = std::vector<std::vector<Offset>>;

/// Hands f the groups of these entries that are stored; what is left over.
template <class Place, class Elements, class Entries, class F>
SliceEntries take_groups(const CsrMatrix& a, const Elements& elements,
                         std::span<const Entries> rows, F f) {
  SliceEntries left(rows.size());
  std::vector<std::size_t> next(rows.size());
  // Entries up to one that is stored are left over.
  const auto leave = [&](std::size_t r, Offset end) {
    for (; next[r] < rows[r].size() && rows[r][next[r]] < end; ++next[r]) {
      left[r].push_back(rows[r][next[r]]);
    }
  };
  SliceWalk<Place, Elements, Entries> walk(a, elements, rows);
  for (typename SliceWalk<Place, Elements, Entries>::Group group; walk.take(group);) {
    if (!group.is_stored()) continue;
    f(group);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Offset entry : group.entries[r]) {
        if (entry < 0) continue;
        leave(r, entry);
        ++next[r];
      }
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) leave(r, std::numeric_limits<Offset>::max());
  return left;
}

/// A slice as it is packed: hands coded(group) its coded groups, plain(group) its plain ones, of
/// what those leave over, in order. Returns the entries in no group.
template <int D, class Place, class Coded, class Plain>
SliceEntries pack_slice(const CsrMatrix& a, const Encoder<D>* encode, std::span<const Index> rows,
                        Coded coded, Plain plain) {
  using Run = std::ranges::iota_view<Offset, Offset>;
  std::vector<Run> runs;
  for (const Index row : rows) runs.emplace_back(a.row_offsets[row], a.row_offsets[row + 1]);
  const std::span<const Run> whole(runs);
  if (encode == nullptr) return take_groups<std::uint16_t>(a, PlainElements<D>{}, whole, plain);
  const SliceEntries left = take_groups<Place>(a, CodedElements<D>{*encode}, whole, coded);
  return take_groups<std::uint16_t>(a, PlainElements<D>{},
                                    std::span<const std::vector<Offset>>(left), plain);
}

}  // namespace cisolve
