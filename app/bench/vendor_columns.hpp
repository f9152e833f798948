#pragma once

#include "app/bench/contender.hpp"
#include "backends/cuda_module.hpp"

namespace cisolve {

/// The vendor library's CSR product with column-major X and Y, laid out so beforehand; the fastest
/// of its SpMM algorithms. No format: the solvers' blocks are interleaved.
CISOLVE_CUDA_FUNCTION(make_vendor_columns,
                      std::unique_ptr<Contender>(const CsrMatrix& a, Backend& backend));

}  // namespace cisolve
