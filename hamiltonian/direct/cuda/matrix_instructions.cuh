#pragma once

#include <cuda_runtime.h>

#include "backends/cuda/check.hpp"

/// Products of small matrices in double precision by a warp, and copies to shared memory that go on
/// beside them.
namespace cisolve {

/// C += A B of a warp, 16 × 4 times 4 × 8: lane 4 g + t has A[g, t], A[g + 8, t], B[t, g] and
/// C[g, 2t], C[g, 2t + 1], C[g + 8, 2t], C[g + 8, 2t + 1].
__device__ inline void multiply_add(double (&c)[4], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(b));
#elif __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a0), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[2]), "+d"(c[3])
      : "d"(a1), "d"(b));
#else
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  for (int k = 0; k < 4; ++k) {
    const double low = __shfl_sync(~0u, a0, 4 * g + k), high = __shfl_sync(~0u, a1, 4 * g + k);
    for (int e = 0; e < 2; ++e) {
      const double other = __shfl_sync(~0u, b, 4 * (2 * t + e) + k);
      c[e] += low * other;
      c[2 + e] += high * other;
    }
  }
#endif
}

/// 16 bytes, or zeros, to shared memory, in the background.
__device__ inline void copy_async(void* to, const void* from, bool wanted = true) {
#if __CUDA_ARCH__ >= 800
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from),
               "r"(wanted ? 16 : 0));
#else
  *static_cast<double2*>(to) = wanted ? *static_cast<const double2*>(from) : make_double2(0.0, 0.0);
#endif
}
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
#endif
}
template <int Pending>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending));
#endif
}

/// Threads of a block that meet at one of its 16 barriers: `sync` waits until `threads` have come,
/// `arrive` counts among them and goes on.
__device__ inline void barrier_sync(int barrier, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ inline void barrier_arrive(int barrier, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/// Bytes of shared memory that a block may have on this thread's device.
inline int most_shared_memory() {
  int device = 0, most = 0;
  check_cuda(cudaGetDevice(&device), "reading the device");
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
             "reading its properties");
  return most;
}
/// All of that, whoever sets it last: other threads may launch meanwhile.
inline void allow_shared_memory(const void* kernel) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  most_shared_memory()),
             "shared memory of a kernel");
}

}  // namespace cisolve
