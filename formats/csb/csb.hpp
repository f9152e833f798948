#pragma once

#include <cstdint>
#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Compressed sparse blocks (Buluç, Fineman, Frigo, Gilbert, Leiserson, SPAA 2009): a grid of β × β
/// blocks, each a run of entries whose row and column, counted from the block's corner, take 16
/// bits each.
///
/// Two things differ from the paper. Only blocks that hold an entry are kept, each with its block
/// column, so that a small β or a long thin matrix does not pay for an empty grid. And the entries
/// of a block ascend by row, then column, in place of Z-Morton order, so that the entries of one
/// row are neighbours and are summed before they touch Y.
///
/// Bytes: 12·nonzeros, 12·blocks + 8 for their columns and offsets, 8·(block rows + 1).
struct CsbMatrix {
  Index rows = 0;
  Index columns = 0;
  Index block_size = 0;                ///< β
  Array<Offset> block_row_offsets;     ///< block rows + 1: where a block row's blocks begin
  Array<Index> block_columns;          ///< blocks: ascending within a block row
  Array<Offset> block_offsets;         ///< blocks + 1: where a block's entries begin
  Array<std::uint16_t> local_rows;     ///< nonzeros
  Array<std::uint16_t> local_columns;  ///< nonzeros
  Array<double> values;                ///< nonzeros

  Offset block_rows() const { return static_cast<Offset>(block_row_offsets.size()) - 1; }
  Offset blocks() const { return static_cast<Offset>(block_columns.size()); }
  std::size_t bytes() const;
  std::string description() const;
};

/// β as requested or, for 0, the power of two nearest to √max(rows, columns) within 32 … 65536.
/// Throws InputError for a request outside 0 … 65536.
Index csb_block_size(const CsrMatrix& a, Index requested);

/// β as `csb_block_size` takes it.
CsbMatrix to_csb(const CsrMatrix& a, Index block_size);

Format::Maker make_csb_cpu;
CISOLVE_CUDA_FUNCTION(make_csb_cuda, Format::Maker);

}  // namespace cisolve
