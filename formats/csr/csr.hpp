#pragma once

#include <memory>

#include "formats/csr_matrix.hpp"
#include "spmv/format.hpp"

namespace cisolve {

/// Bytes of the arrays, with values of that precision.
std::size_t csr_bytes(const CsrMatrix& a, Precision precision);

#ifdef CISOLVE_HAVE_CUDA
std::unique_ptr<LinearOperator> make_csr_cuda(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions& options);
std::unique_ptr<LinearOperator> make_csr_single_cuda(std::shared_ptr<const CsrMatrix> a,
                                                     Array<float> values, Backend& backend,
                                                     const FormatOptions& options);
#else
inline constexpr Format::Make make_csr_cuda = nullptr;
inline constexpr Format::MakeSingle make_csr_single_cuda = nullptr;
#endif

}  // namespace cisolve
