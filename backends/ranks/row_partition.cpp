#include "backends/ranks/row_partition.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"

namespace cisolve {
namespace {

/// Cost of an iteration's vector operations for a row, in nonzeros of a product. About ten basis
/// vectors with their images are read or written two or three times, 8 bytes each; a packed nonzero
/// has 4.5 bytes (12 in csr).
constexpr Offset row_work = 50;

}  // namespace

void require_rows_for(int ranks, Index rows) {
  if (ranks <= rows) return;
  throw InputError(std::to_string(ranks) + " ranks for a matrix of " + std::to_string(rows) +
                   " rows; expected at most as many");
}

RowPartition even_partition(Index rows, int ranks) {
  require_rows_for(ranks, rows);
  RowPartition parts;
  for (int r = 0; r <= ranks; ++r) {
    parts.begin.push_back(static_cast<Index>(Offset{rows} * r / ranks));
  }
  return parts;
}

RowPartition balanced_partition(std::span<const Index> lengths, int ranks) {
  const auto rows = static_cast<Index>(lengths.size());
  RowPartition parts = even_partition(rows, ranks);
  const Offset all = std::accumulate(lengths.begin(), lengths.end(), row_work * rows);
  Offset before = 0;
  Index row = 0;
  for (int r = 1; r < ranks; ++r) {
    // A row goes to the side where more of it lies; every part has one at least.
    const Offset wanted = all / ranks * r + all % ranks * r / ranks;
    const Index least = parts.begin[r - 1] + 1, most = rows - (ranks - r);
    while (row < most) {
      const Offset work = lengths[row] + row_work;
      if (row >= least && before + work / 2 >= wanted) break;
      before += work;
      ++row;
    }
    parts.begin[r] = row;
  }
  return parts;
}

RowPartition partition_of(Communicator& ranks, Index own) {
  RowPartition parts{{0}};
  for (const Index count : ranks.gather(own)) parts.begin.push_back(parts.begin.back() + count);
  return parts;
}

}  // namespace cisolve
