#pragma once

#include <memory>

#include "formats/csr_matrix.hpp"
#include "spmv/format.hpp"

namespace cisolve {

/// Whether cuSPARSE needs 64-bit offsets and columns for so many stored entries: it takes both in
/// one width only.
inline bool cusparse_needs_64_bits(Offset entries) {
  return entries > 0x7fffffff;
}

/// CSR as cuSPARSE takes it: values 8 bytes, offsets and columns 4 bytes each below 2³¹ nonzeros,
/// else 8. Workspace is not counted.
std::size_t cusparse_csr_bytes(const CsrMatrix& a, const FormatOptions&);

/// The vendor library's CSR product: SpMV by algorithm 1 or 2, preprocessed, for one vector; for
/// blocks the fastest of its SpMM algorithms, measured at the first product of each width.
#ifdef CISOLVE_HAVE_CUDA
std::unique_ptr<LinearOperator> make_cusparse_csr_alg1(std::shared_ptr<const CsrMatrix> a,
                                                       Backend& backend, const FormatOptions&);
std::unique_ptr<LinearOperator> make_cusparse_csr_alg2(std::shared_ptr<const CsrMatrix> a,
                                                       Backend& backend, const FormatOptions&);
#else
inline constexpr Format::Make make_cusparse_csr_alg1 = nullptr;
inline constexpr Format::Make make_cusparse_csr_alg2 = nullptr;
#endif

}  // namespace cisolve
