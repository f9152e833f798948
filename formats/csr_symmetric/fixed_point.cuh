#pragma once

#include <cstdint>

#include "backends/cuda/warp.cuh"
#include "core/types.hpp"

// Sums of doubles depend on the order of the additions; those of integers do not. Deterministic
// products therefore add integers. With B = max_i Σ_j |a_ij| and, for each vector, M = max_j |x_j|,
//
//   q = 2^(e − 62),  2^(e − 1) ≤ BM < 2^e,   so that |y_i| ≤ BM < 2^62 q.
//
// Every product above the diagonal, and every row's own sum, is rounded to a multiple of q and
// added as a 64-bit integer; y_i = α q · sum + β y_i. The rounding costs q/2 ≤ 2^-62 BM for each of
// the m entries of column i above the diagonal and once for the row:
//
//   |error of y_i| ≤ |α| (m + 1) 2^-62 BM   beside that of the products and of the row's own sum.
//
// Over elements of several numbers |a_ij| is the sum of their magnitudes, |x_j| and |y_i| any of
// their numbers, and the mirrored entry is conj(a_ij).
//
// Scaling by q is exact. Where B or M is not finite, or BM is beyond double precision, Y becomes
// NaN.

namespace cisolve::fixed_point {

using Sum = unsigned long long;  // two's complement: what atomicAdd takes

/// 1/q and q of one vector; NaN where there are none.
struct FixedPoint {
  double scale, quantum;
};

/// Adds to integers, rows × k.
struct FixedSums {
  const FixedPoint* fixed_points;
  Sum* sums;
  int columns;

  __device__ double factor(int j) const { return fixed_points[j].scale; }
  __device__ void add(std::int64_t row, int j, double value) const {
    atomicAdd(sums + row * columns + j, static_cast<Sum>(__double2ll_rn(value)));
  }
};

/// largest_j := max(largest_j, bits of max_i |x_ij|). As integers the bits are ordered as the
/// numbers are, infinity and NaN above all of them.
template <int K>
__global__ void __launch_bounds__(block_threads)
    largest_elements_kernel(const double* __restrict__ x, std::int64_t stride, Index rows,
                            Sum* largest) {
  Sum own[K] = {};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
       i < rows; i += step) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const auto bits = static_cast<Sum>(__double_as_longlong(fabs(x[i * stride + j])));
      own[j] = max(own[j], bits);
    }
  }
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int other = 16; other > 0; other /= 2) {
      own[j] = max(own[j], __shfl_xor_sync(full_warp, own[j], other));
    }
    if (threadIdx.x % 32 == 0) atomicMax(largest + j, own[j]);
  }
}

/// A thread for each vector.
static __global__ void fixed_points_kernel(double largest_row_sum, const Sum* largest,
                                           FixedPoint* fixed_points) {
  const int j = static_cast<int>(threadIdx.x);
  const double m = __longlong_as_double(static_cast<long long>(largest[j]));
  int b_exponent = 0, m_exponent = 0, exponent = 0;
  frexp(largest_row_sum, &b_exponent);
  frexp(m, &m_exponent);
  // Significands apart, so that the product of the two neither overflows nor underflows.
  frexp(ldexp(largest_row_sum, -b_exponent) * ldexp(m, -m_exponent), &exponent);
  exponent += b_exponent + m_exponent;
  const bool representable = isfinite(largest_row_sum) && isfinite(m) && exponent <= 1023;
  // Neither the scale nor x at that scale may overflow: where BM or B is that small, q is larger,
  // 2^-1022 or at most 2^-1021 M.
  const int shift = min(62 - exponent, min(1022, 1022 - m_exponent));
  fixed_points[j] = representable ? FixedPoint{ldexp(1.0, shift), ldexp(1.0, -shift)}
                                  : FixedPoint{nan(""), nan("")};
}

/// Y := α q · sums + βY.
template <int K>
__global__ void __launch_bounds__(block_threads)
    finish_kernel(const Sum* __restrict__ sums, const FixedPoint* __restrict__ fixed_points,
                  double alpha, double beta, double* __restrict__ y, std::int64_t stride,
                  Index rows) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (e >= static_cast<std::int64_t>(rows) * K) return;
  const std::int64_t i = e / K;
  const int j = static_cast<int>(e % K);
  double& to = y[i * stride + j];
  const double product =
      fixed_points[j].quantum * static_cast<double>(static_cast<long long>(sums[e]));
  to = alpha * product + (beta == 0.0 ? 0.0 : beta * to);
}

}  // namespace cisolve::fixed_point
