#pragma once

#include "backends/cuda_module.hpp"
#include "formats/coo/coo.hpp"
#include "formats/ell/ell.hpp"

namespace cisolve {

/// HYB of Bell and Garland (Implementing sparse matrix-vector multiplication on throughput-oriented
/// processors, SC 2009): the first `width` entries of every row in ELLPACK, padded where the row is
/// shorter, the rest in coordinates. A = ell + coo.
/// Bytes: 12 · rows · width + 16 · entries past the width.
struct HybMatrix {
  EllMatrix ell;
  CooMatrix coo;

  std::size_t bytes() const { return ell.bytes() + coo.bytes(); }
  /// For a matrix with this number of entries.
  Offset padding(Offset nonzeros) const {
    return Offset{ell.rows} * ell.width + coo.nonzeros() - nonzeros;
  }
};

/// The width of the ELLPACK part. `one_third`, the paper's: the largest width that at least a third
/// of the rows fill. `histogram`: the width with the fewest bytes in total.
Index hyb_width(const CsrMatrix& a, FormatOptions::HybWidth rule);

HybMatrix to_hyb(const CsrMatrix& a, EllMatrix::Order order, FormatOptions::HybWidth rule);

Format::Maker make_hyb_cpu;
CISOLVE_CUDA_FUNCTION(make_hyb_cuda, Format::Maker);

}  // namespace cisolve
