#pragma once

#include <functional>
#include <vector>

#include "backends/backend.hpp"
#include "backends/ranks/row_partition.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {

/// Rows of a square matrix that are made on a device as often as they are asked for: once for their
/// lengths, and again at every pass over them. Blocks have at most `block_entries` nonzeros, or one
/// window where that has more. Device memory beside the tables: 4·rows while the lengths are
/// counted, 12 bytes for every nonzero of the largest block and 8 for its every row while a pass is
/// under way.
///
/// Over several ranks of the backend each has the rows that balanced_partition gives it, once all
/// have counted equal parts; called by all ranks. 4 bytes a row of the matrix on every host then.
class MadeRows : public RowSource {
 public:
  Index columns() const override { return columns_; }
  Index first_row() const override { return first_row_; }
  const Array<Offset>& row_offsets() const override { return row_offsets_; }
  void for_each_block(Index window, const std::function<void(const DeviceRows&)>& f) override;

 protected:
  MadeRows(Index columns, Backend& backend, Offset block_entries)
      : columns_(columns), backend_(backend), block_entries_(block_entries) {}
  /// The lengths of all rows, once tables are in place.
  void count_rows();

  /// Launches: lengths of rows first … end − 1 of the matrix.
  virtual void make_lengths(Index first, Index end, Index* lengths) = 0;
  /// Their entries by ascending columns; row i begins at row_offsets[i] − row_offsets[0].
  virtual void make_entries(Index first, Index end, const Offset* row_offsets, Index* columns,
                            double* values) = 0;
  Backend& backend() const { return backend_; }

 private:
  std::vector<Index> lengths(Index first, Index end);
  std::vector<Index> block_ends(Index window) const;

  Index columns_;
  Backend& backend_;
  Offset block_entries_;
  Index first_row_ = 0;  ///< of this rank
  Array<Offset> row_offsets_;
};

}  // namespace cisolve
