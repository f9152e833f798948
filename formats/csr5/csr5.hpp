#pragma once

#include <cstdint>
#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// CSR5 (Liu and Vinter, ICS 2015): the entries in row order, cut into tiles of ω = 32 lanes × σ
/// entries whatever row they belong to, so that every warp has the same work. Lane l of a tile has
/// its entries l·σ … (l + 1)·σ − 1, and they are stored transposed: entry e of lane l at e·ω + l of
/// the tile. The tail, which fills no tile, stays in row order with row offsets of its own.
///
/// As in the paper, a tile knows the row it begins in, a bit for each entry that begins a row
/// (bit_flag) and for each lane the rows begun before it in the tile (y_offset). Three things
/// differ. seg_offset, which follows from the bits by one warp vote, is not stored. Rows are
/// counted among the nonempty ones, whose numbers are listed once; that replaces empty_offset and
/// the row pointer. And rows over several tiles are gathered in a pass of its own, in a fixed
/// order, for every tile alike.
///
/// Bytes: 12·nonzeros, 4·nonempty rows, 4·(tiles + 1), 320·tiles (10 a lane), 8·(tail rows + 1).
struct Csr5Matrix {
  static constexpr int lanes = 32;  ///< ω

  Index rows = 0;
  Index columns = 0;
  Index tile_height = 0;            ///< σ
  Array<Index> nonempty_rows;       ///< their numbers, ascending
  Array<Index> tile_rows;           ///< tiles + 1: nonempty rows begun before the tile (the tail)
  Array<std::uint64_t> row_starts;  ///< tiles × ω: bit e set where entry e of the lane begins a row
  Array<std::uint16_t> y_offsets;  ///< tiles × ω: rows begun in the tile's lanes before this one
  Array<Offset> tail_offsets;      ///< tail rows + 1: the last nonempty rows' entries in the tail
  Array<Index> column_indices;     ///< nonzeros
  Array<double> values;            ///< nonzeros

  Offset tiles() const { return static_cast<Offset>(tile_rows.size()) - 1; }
  Offset tile_entries() const { return Offset{lanes} * tile_height; }
  Index tail_rows() const { return static_cast<Index>(tail_offsets.size()) - 1; }
  /// Which of the nonempty rows is the tail's first.
  Index first_tail_row() const { return static_cast<Index>(nonempty_rows.size()) - tail_rows(); }
  std::size_t bytes() const;
  std::string description() const;
};

/// σ as requested or, for 0, by the paper's rule for NVIDIA GPUs from the mean row length m: 4 up
/// to m = 4, m up to 32, 32 up to 256, and 6 beyond. Throws InputError outside 0 … 64.
Index csr5_tile_height(const CsrMatrix& a, Index requested);

/// σ as `csr5_tile_height` takes it.
Csr5Matrix to_csr5(const CsrMatrix& a, Index tile_height);

Format::Maker make_csr5_cpu;
CISOLVE_CUDA_FUNCTION(make_csr5_cuda, Format::Maker);

}  // namespace cisolve
