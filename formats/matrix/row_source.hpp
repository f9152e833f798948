#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "core/types.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Rows first … first + count − 1 of a source in device memory, whole, in compressed sparse rows.
struct DeviceRows {
  Index first = 0;
  Index count = 0;
  const Offset* row_offsets = nullptr;  ///< count + 1; row first + i has entries row_offsets[i] −
                                        ///< row_offsets[0] … of the two arrays below
  const Index* column_indices = nullptr;  ///< ascending within a row
  const double* values = nullptr;
};

/// A matrix, or rows of one that lie one behind another, whose rows come to a device block by
/// block, made there or brought from the host, so that it need not be whole in any memory. Row
/// lengths are known beforehand. Rows are counted from 0 everywhere, columns are the matrix's.
class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual Index columns() const = 0;
  /// The matrix's number of row 0: of a part of it that one of several ranks owns.
  virtual Index first_row() const { return 0; }
  /// rows + 1, of all rows, in host memory.
  virtual const Array<Offset>& row_offsets() const = 0;
  Index rows() const { return static_cast<Index>(row_offsets().size()) - 1; }
  Offset nonzeros() const { return row_offsets().back(); }

  /// Calls f with all rows in order, in blocks of a multiple of `window` rows (but the last), as
  /// large as the source sees fit. A block's memory is f's until f returns; what f launches is on
  /// the default stream.
  virtual void for_each_block(Index window, const std::function<void(const DeviceRows&)>& f) = 0;

  /// Bytes of the device's memory that it takes as long as it lives, of those that are worth a
  /// plan.
  virtual std::size_t device_bytes() const { return 0; }

  /// Some rows in host memory: row i of the result is row wanted[i].
  virtual CsrMatrix some_rows(std::span<const Index> wanted) const = 0;
  /// The matrix's a_ii of these rows in host memory, 0 where nothing is stored.
  virtual std::vector<double> diagonal() const = 0;
};

/// Entries of a block of rows, about, where a source has no other reason.
inline constexpr Offset row_block_entries = Offset{1} << 26;
/// Bytes of a device that such a block takes with what a conversion finds out about its entries, 3
/// bytes each, about.
constexpr std::size_t row_block_bytes(Offset nonzeros) {
  return static_cast<std::size_t>(nonzeros < row_block_entries ? nonzeros : row_block_entries) *
         (sizeof(Index) + sizeof(double) + 3);
}

}  // namespace cisolve
