// Where the program is built without CUDA no backend asks for rows on a device.
#ifndef CISOLVE_HAVE_CUDA

#include "core/error.hpp"
#include "formats/row_components_cuda.hpp"
#include "formats/row_sums_cuda.hpp"
#include "hamiltonian/ci_rows_cuda.hpp"

namespace cisolve {

std::unique_ptr<RowSource> make_ci_rows_cuda(const Integrals&, const CiSpace&, Backend&, Offset) {
  throw ResourceError(cuda_unavailable_reason());
}

std::vector<Index> component_roots(RowSource&, Backend&) {
  throw ResourceError(cuda_unavailable_reason());
}

MixedSums mixed_sums(RowSource&, Backend&) {
  throw ResourceError(cuda_unavailable_reason());
}

}  // namespace cisolve

#endif
