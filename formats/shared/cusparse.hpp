#pragma once

#include "backends/cuda_module.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// True if cuSPARSE needs 64-bit offsets and columns for so many stored entries: it takes both in
/// one width only.
inline bool cusparse_needs_64_bits(Offset entries) {
  return entries > 0x7fffffff;
}

/// CSR as cuSPARSE takes it: values 8 bytes, offsets and columns 4 bytes each below 2³¹ nonzeros,
/// else 8. Workspace is not counted.
std::size_t cusparse_csr_bytes(const CsrMatrix& a, const FormatOptions&);

/// The vendor library's CSR product: SpMV by algorithm 1 or 2, preprocessed, for one vector; for
/// blocks the fastest of its SpMM algorithms, measured at the first product of each width.
CISOLVE_CUDA_FUNCTION(make_cusparse_csr_alg1, Format::Maker);
CISOLVE_CUDA_FUNCTION(make_cusparse_csr_alg2, Format::Maker);

}  // namespace cisolve
