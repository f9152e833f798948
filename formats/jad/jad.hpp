#pragma once

#include "backends/cuda_module.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Jagged diagonals (Saad, SIAM J. Sci. Stat. Comput. 1989, 10, 1200): rows sorted by length,
/// longest first; diagonal d holds entry d of every row that has one, which are the first rows, and
/// lies at diagonal_offsets[d] … diagonal_offsets[d + 1] − 1. No padding.
/// Bytes: 12·nonzeros + 8·(longest row + 1) + 4·rows.
struct JadMatrix {
  Index rows = 0;
  Index columns = 0;
  Array<Index> row_order;          ///< rows: stored row s is row row_order[s] of A
  Array<Offset> diagonal_offsets;  ///< diagonals + 1
  Array<Index> column_indices;
  Array<double> values;

  Index diagonals() const { return static_cast<Index>(diagonal_offsets.size()) - 1; }
  /// Entries of stored row s: the number of diagonals that reach it.
  Index row_length(Index s) const;
  std::size_t bytes() const;
};

JadMatrix to_jad(const CsrMatrix& a);

Format::Maker make_jad_cpu;
CISOLVE_CUDA_FUNCTION(make_jad_cuda, Format::Maker);

}  // namespace cisolve
