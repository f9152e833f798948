#pragma once

#include "backends/cuda/check.hpp"

// Programmatic dependent launch (CUDA C++ Programming Guide; compute capability 9.0 and up): a
// kernel begins while the one before it in the stream still runs. Its preparations then overlap
// with the last blocks of the other. On older devices it begins when the other has ended.

namespace cisolve::cuda {

/// Kernel before: from here on the next one may begin where there is room.
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Kernel behind: returns when the one before has ended, and what it wrote can be read. Every
/// thread that goes on to memory which that kernel writes must pass here, and one of every block at
/// least.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Kernel<<<blocks, threads>>>(arguments...), which may begin early where it was compiled to wait.
/// Throws ResourceError naming `doing` where it cannot be launched.
template <auto Kernel, class... Arguments>
void launch_before_end(unsigned blocks, unsigned threads, const char* doing,
                       Arguments... arguments) {
  static const bool waits = [&] {
    cudaFuncAttributes compiled{};
    check_cuda(cudaFuncGetAttributes(&compiled, Kernel), doing);
    return compiled.ptxVersion >= 90;
  }();
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(threads);
  launch.attrs = &early;
  launch.numAttrs = waits ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&launch, Kernel, arguments...), doing);
}

}  // namespace cisolve::cuda
