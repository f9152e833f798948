#pragma once

#include "backends/cuda_module.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Bytes of the arrays, with values of that precision.
std::size_t csr_bytes(const CsrMatrix& a, Precision precision);

CISOLVE_CUDA_FUNCTION(make_csr_cuda, Format::Maker);
CISOLVE_CUDA_FUNCTION(make_csr_single_cuda, Format::SingleMaker);

}  // namespace cisolve
