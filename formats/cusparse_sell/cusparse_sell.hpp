#pragma once

#include "backends/cuda_module.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Sliced ELLPACK as cuSPARSE lays it out, in slices of 32 rows: entry e of the 32 rows of slice s
/// lies together at slice_offsets[s] + 32 e, every slice as wide as its longest row, the last one
/// full height. Padding has column −1 and value 0.
/// Bytes: stored entries · (8 + i) + (slices + 1) · i, i = 4 below 2³¹ stored entries, else 8.
struct CusparseSellMatrix {
  static constexpr Index height = 32;
  Index rows = 0;
  Index columns = 0;
  Array<Offset> slice_offsets;  ///< slices + 1
  Array<Index> column_indices;
  Array<double> values;

  Offset stored() const { return slice_offsets.empty() ? 0 : slice_offsets.back(); }
  std::size_t bytes() const;
};

CusparseSellMatrix to_cusparse_sell(const CsrMatrix& a);

CISOLVE_CUDA_FUNCTION(make_cusparse_sell_cuda, Format::Maker);

}  // namespace cisolve
