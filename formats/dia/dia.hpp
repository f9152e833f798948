#pragma once

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Diagonals: every diagonal that holds an entry is stored whole, and no column indices are. Entry
/// (i, i + offsets[d]) lies at d · rows + i, so that neighbouring rows are neighbours; elements
/// that are not in the matrix or outside of it are 0. For banded matrices: where the diagonals are
/// many, the padding does not fit.
/// Bytes: (8 · rows + 4) · diagonals.
struct DiaMatrix {
  Index rows = 0;
  Index columns = 0;
  Array<Index> offsets;  ///< of the diagonals, column − row, ascending
  Array<double> values;  ///< diagonals × rows

  std::size_t bytes() const { return bytes(rows, offsets.size()); }
  /// The largest std::size_t where the number does not fit it.
  static std::size_t bytes(Index rows, std::size_t diagonals);
};

/// Number of diagonals that hold an entry; parallel. Takes rows + columns − 1 bytes, or 4 for every
/// entry of a matrix that has far fewer.
Offset count_diagonals(const CsrMatrix& a);
/// Offsets of these diagonals, ascending; parallel.
Array<Index> diagonal_offsets(const CsrMatrix& a);

DiaMatrix to_dia(const CsrMatrix& a);

Format::Maker make_dia_cpu;
CISOLVE_CUDA_FUNCTION(make_dia_cuda, Format::Maker);

}  // namespace cisolve
