#pragma once

#include <span>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Which rows of vectors and matrices every rank owns: rank r has begin[r] … begin[r + 1] − 1.
struct RowPartition {
  std::vector<Index> begin;  ///< ranks + 1, ascending from 0

  int ranks() const { return static_cast<int>(begin.size()) - 1; }
  Index rows() const { return begin.back(); }
  Index first(int rank) const { return begin[rank]; }
  Index count(int rank) const { return begin[rank + 1] - begin[rank]; }
  /// Bytes of each rank's rows, each of `row` bytes.
  std::vector<std::size_t> bytes(std::size_t row) const {
    std::vector<std::size_t> result;
    for (int r = 0; r < ranks(); ++r) result.push_back(row * static_cast<std::size_t>(count(r)));
    return result;
  }
};

/// Throws InputError where there are more ranks than rows.
void require_rows_for(int ranks, Index rows);

/// Parts as equal as can be. Throws as require_rows_for.
RowPartition even_partition(Index rows, int ranks);

/// Parts that take about as long: of lengths.size() rows with so many nonzeros each, for whose
/// vectors every row counts as some nonzeros more. No part is empty. Throws as even_partition.
RowPartition balanced_partition(std::span<const Index> lengths, int ranks);

/// Partition of vectors of which every rank has so many rows. Called by all ranks.
RowPartition partition_of(Communicator& ranks, Index own);

}  // namespace cisolve
