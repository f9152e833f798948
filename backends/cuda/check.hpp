#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/error.hpp"

namespace cisolve {

/// Throws ResourceError naming what failed.
inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // forgotten, so that the next check does not find it
    throw ResourceError(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
  }
}

/// After a kernel launch.
inline void check_launch(const char* kernel) {
  check_cuda(cudaGetLastError(), kernel);
}

}  // namespace cisolve
