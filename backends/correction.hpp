#pragma once

// Shared by the CPU and the CUDA kernels, so that both guard alike.
#ifdef __CUDACC__
#define CISOLVE_HOST_DEVICE __host__ __device__
#else
#define CISOLVE_HOST_DEVICE
#endif

namespace cisolve {

/// θ − d held away from zero: at least `guard` in magnitude, its sign kept (a zero counts as
/// positive). Without the guard a decoupled determinant, whose diagonal element is an eigenvalue,
/// divides by zero.
CISOLVE_HOST_DEVICE inline double guarded_difference(double theta, double d, double guard) {
  const double difference = theta - d;
  if (difference >= 0.0) return difference < guard ? guard : difference;
  return difference > -guard ? -guard : difference;
}

}  // namespace cisolve
