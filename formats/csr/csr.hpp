#pragma once

#include <memory>

#include "formats/csr_matrix.hpp"
#include "spmv/format.hpp"

namespace cisolve {

#ifdef CISOLVE_HAVE_CUDA
std::unique_ptr<LinearOperator> make_csr_cuda(std::shared_ptr<const CsrMatrix> a, Backend& backend,
                                              const FormatOptions& options);
#else
inline constexpr Format::Make make_csr_cuda = nullptr;
#endif

}  // namespace cisolve
