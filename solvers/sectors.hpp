#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "core/types.hpp"

namespace cisolve {

/// The blocks of a block-diagonal matrix: rows between which no chain of nonzeros leads. Those of a
/// CI matrix come from spatial symmetry. An eigenvector can be chosen to lie in one of them.
struct Sectors {
  /// Label of every row, 0 … count − 1 in the order of first rows; empty if the rows of each sector
  /// follow those of the one before, so that the sizes tell.
  std::vector<Index> labels;
  std::vector<Index> sizes;  ///< rows of each; empty: all rows are one sector
  /// First rows of each sector, part by part, and the end, if rows are in parts in which those of a
  /// sector follow those of the one before. Then there are no labels.
  std::vector<Index> pieces = {};
  /// Dimension of each sector's part of a subspace, if states are sought in one; empty: its rows.
  std::vector<Index> dimensions = {};

  /// The sector of a row. O(1) with labels, O(log pieces) or O(sectors) without.
  Index of(Index row) const {
    if (!labels.empty()) return labels[row];
    if (!pieces.empty()) {
      const auto next = std::upper_bound(pieces.begin(), pieces.end(), row) - pieces.begin();
      return static_cast<Index>((next - 1) % static_cast<std::ptrdiff_t>(sizes.size()));
    }
    Index sector = 0;
    for (const Index size : sizes) {
      if (row < size) break;
      row -= size;
      ++sector;
    }
    return sector;
  }
};

/// Places of the entries of a symmetric matrix in compressed sparse rows, whole or one triangle of
/// it.
struct Pattern {
  std::span<const Offset> row_offsets;
  std::span<const Index> column_indices;
};

/// The connected components of the graph of a symmetric matrix, or of several that commute
/// together, by union-find (Jayanti, Tarjan 2016: concurrent, path halving). O(nonzeros), parallel.
Sectors connected_sectors(std::initializer_list<Pattern> patterns);
inline Sectors connected_sectors(std::span<const Offset> row_offsets,
                                 std::span<const Index> column_indices) {
  return connected_sectors({{row_offsets, column_indices}});
}

/// The sectors whose lowest rows are known: row i is in that of row roots[i].
Sectors sectors_of_roots(std::span<const Index> roots);

/// One rank's share of the sectors: the labels of rows first … first + rows − 1 alone, none if
/// there is but one sector.
Sectors labels_of_rows(const Sectors& all, Index first, Index rows);

/// Rows brought together by sector: group g has rows order[begin[g]] … order[begin[g + 1] − 1],
/// ascending.
struct SectorOrder {
  Array<Index> order;        ///< of all rows; empty where it is the order in which they are
  std::vector<Index> begin;  ///< groups + 1
  /// Dimension of each group, as Sectors::dimensions; empty: its rows.
  std::vector<Index> dimensions = {};

  int groups() const { return static_cast<int>(begin.size()) - 1; }
  Index rows(int group) const { return begin[group + 1] - begin[group]; }
  /// The place r of a row, order[r] = row. O(groups · log rows).
  Index place_of(Index row) const;
  /// The group with that place.
  int group_of_place(Index place) const;
};

/// Order of so many rows with those labels; sizes may include other ranks' rows. At most `most`
/// groups: if there are more sectors, the smallest share the last group, which is
/// a block of the matrix as well. Parallel; sectors whose rows lie one behind another, no more than
/// `most`, are left as they are, without labels in O(1).
SectorOrder order_by_sector(const Sectors& sectors, Index rows, int most);

}  // namespace cisolve
