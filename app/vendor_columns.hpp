#pragma once

#include "app/contender.hpp"

namespace cisolve {

#ifdef CISOLVE_HAVE_CUDA
/// The vendor library's CSR product with column-major X and Y, laid out so beforehand; the fastest
/// of its SpMM algorithms. No format: the solvers' blocks are interleaved.
std::unique_ptr<Contender> make_vendor_columns(const CsrMatrix& a, Backend& backend);
#endif

}  // namespace cisolve
