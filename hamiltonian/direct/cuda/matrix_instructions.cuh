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

/// A multiply_add that sums twice as many products: a[i] are A's elements of four columns, b[i] B's
/// of four rows, of one multiply_add each.
__device__ inline void multiply_add(double (&c)[4], const double (*a)[2], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#else
  for (int i = 0; i < 2; ++i) multiply_add(c, a[i][0], a[i][1], b[i]);
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

/// Threads of a block that meet at one of its 16 barriers.
__device__ inline void barrier_sync(int barrier, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/// A barrier in shared memory between producers, which arrive, and consumers, which wait; producers
/// do not wait for each other. Each phase is complete after the given number of arrivals. Writes
/// before an arrival are visible after the wait.
class Handover {
 public:
  __device__ void begin(int arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
#else
    words_ = make_uint2(0, arrivals);
#endif
  }
  __device__ void arrive() {
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address())
                 : "memory");
#else
    __threadfence_block();
    atomicAdd(&words_.x, 1u);
#endif
  }
  /// Arrives as soon as this thread's copies in the background are complete.
  __device__ void arrive_after_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address()) : "memory");
#else
    arrive();
#endif
  }
  /// Waits until phase `number` is complete, 0 being the first; it or the next one is under way.
  __device__ void wait(int number) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "again:\n"
#if __CUDA_ARCH__ >= 900
        "mbarrier.try_wait.parity.shared.b64 complete, [%0], %1;\n"
#else
        "mbarrier.test_wait.parity.shared.b64 complete, [%0], %1;\n"
#endif
        "@!complete bra again;\n"
        "}" ::"r"(address()),
        "r"(number & 1)
        : "memory");
#else
    const auto enough = static_cast<unsigned>(number + 1) * words_.y;
    while (static_cast<int>(*const_cast<volatile unsigned*>(&words_.x) - enough) < 0) continue;
    __threadfence_block();
#endif
  }

 private:
#if __CUDA_ARCH__ >= 800
  __device__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(this));
  }
#endif
  uint2 words_;  ///< before 8.0: how many arrived, and how many a phase takes
};
static_assert(sizeof(Handover) == 8);

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
