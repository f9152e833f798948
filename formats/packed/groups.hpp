#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "formats/packed/dictionary.hpp"
#include "formats/packed/packed.hpp"

// How the rows of a slice become groups: the one walk by which a packed matrix is planned and
// filled.

namespace cisolve {

/// Four steps of a slice.
template <class Place, class Element>
struct PackedGroup {
  Index bases[packed_steps];  ///< near only
  Place places[packed_rows][packed_steps];
  Element elements[packed_rows][packed_steps];
  Offset entries[packed_rows][packed_steps];  ///< of A, ascending; −1: padding
  int count;                                  ///< of entries

  static constexpr std::size_t bytes = packed_group * (sizeof(Place) + sizeof(Element)) +
                                       (has_bases<Place> ? packed_steps * sizeof(Index) : 0);
  /// Whether it is no larger than its entries are in CSR.
  bool is_stored() const { return count * (sizeof(Index) + sizeof(double)) >= bytes; }
};

/// The element as it is packed; 0 where it cannot be.
struct CodedElements {
  using Element = std::uint16_t;
  Encoder encode;
  Element operator()(double element) const { return encode(element); }
};
struct PlainElements {
  using Element = double;
  Element operator()(double element) const { return element; }
};

/// Walks the entries of up to 32 rows of A that can be packed, step by step.
template <class Place, class Elements>
class SliceWalk {
 public:
  using Group = PackedGroup<Place, typename Elements::Element>;

  SliceWalk(const CsrMatrix& a, const Elements& elements, std::span<const Index> rows)
      : a_(a), elements_(elements) {
    for (std::size_t r = 0; r < packed_rows; ++r) {
      const bool there = r < rows.size();
      next_[r] = there ? a.row_offsets[rows[r]] : 0;
      end_[r] = there ? a.row_offsets[rows[r] + 1] : 0;
      find(r);
    }
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
        const bool takes_part =
            columns_[r] != no_column &&
            offset <= static_cast<std::uint32_t>(std::numeric_limits<Place>::max());
        group.places[r][t] = takes_part ? static_cast<Place>(offset) : Place{0};
        group.elements[r][t] = takes_part ? next_elements_[r] : Element{0};
        group.entries[r][t] = takes_part ? next_[r] : -1;
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

  /// Row r's next entry that can be packed, from next_[r] on.
  void find(std::size_t r) {
    for (; next_[r] < end_[r]; ++next_[r]) {
      next_elements_[r] = elements_(a_.values[next_[r]]);
      if (next_elements_[r] != Element{0}) {
        columns_[r] = static_cast<std::uint32_t>(a_.column_indices[next_[r]]);
        return;
      }
    }
    columns_[r] = no_column;
  }

  const CsrMatrix& a_;
  const Elements& elements_;
  Offset next_[packed_rows], end_[packed_rows];
  Element next_elements_[packed_rows];
  std::uint32_t columns_[packed_rows];
};

}  // namespace cisolve
