#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "core/error.hpp"
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

/// Parts as equal as can be. Throws InputError where there are more ranks than rows.
inline RowPartition even_partition(Index rows, int ranks) {
  if (ranks > rows) {
    throw InputError(std::to_string(ranks) + " ranks for a matrix of " + std::to_string(rows) +
                     " rows; expected at most as many");
  }
  RowPartition parts;
  for (int r = 0; r <= ranks; ++r) {
    parts.begin.push_back(static_cast<Index>(Offset{rows} * r / ranks));
  }
  return parts;
}

/// That of vectors of which every rank has so many rows. Called by all ranks.
inline RowPartition partition_of(Communicator& ranks, Index own) {
  RowPartition parts{{0}};
  for (const Index count : ranks.gather(own)) parts.begin.push_back(parts.begin.back() + count);
  return parts;
}

}  // namespace cisolve
