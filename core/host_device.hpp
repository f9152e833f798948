#pragma once

/// Marks functions that the CPU's and the GPU's kernels share.
#ifdef __CUDACC__
#define CISOLVE_HOST_DEVICE __host__ __device__
#else
#define CISOLVE_HOST_DEVICE
#endif
