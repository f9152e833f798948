// The CUDA backend's entry points where the program is built without CUDA.
#ifndef CISOLVE_HAVE_CUDA
#include "backends/backend.hpp"
#include "core/error.hpp"

namespace cisolve {

std::string cuda_unavailable_reason() {
  return "built without CUDA: install the CUDA Toolkit (nvcc 12 or later) and configure again with "
         "cmake --preset cuda";
}

std::unique_ptr<Backend> make_cuda_backend(int) {
  throw ResourceError(cuda_unavailable_reason());
}

}  // namespace cisolve
#endif
