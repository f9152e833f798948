#pragma once

#include <cstdint>

#include "backends/cuda/check.hpp"
#include "backends/view.hpp"
#include "spmv/block_width.hpp"

// Algorithm 7's shape, a group of lanes a row, for every format whose rows are runs of entries.
// An entry costs 12 bytes of matrix, read once and streamed past the caches (ld.global.cs), and a
// gather of K neighbouring doubles, kept in them. Four entries a lane are in flight at once: on an
// H200 that, not arithmetic, decides whether the memory is busy.

namespace cisolve::cuda {

/// The K doubles at `from`, in 16-byte loads where the launcher found everything aligned.
template <int K, bool Aligned>
__device__ inline void load_row(const double* from, double (&to)[K]) {
  if constexpr (Aligned && K % 2 == 0) {
    for (int j = 0; j < K; j += 2) {
      const double2 pair = __ldg(reinterpret_cast<const double2*>(from + j));
      to[j] = pair.x;
      to[j + 1] = pair.y;
    }
  } else {
    for (int j = 0; j < K; ++j) to[j] = __ldg(from + j);
  }
}

/// sum_j += Σ_e values[e] · x(columns[e], j) over this lane's share of entries begin … end − 1.
template <int K, int Lanes, bool Aligned>
__device__ inline void add_entries(const double* values, const Index* columns, std::int64_t begin,
                                   std::int64_t end, int lane, const double* x, std::int64_t stride,
                                   double (&sum)[K]) {
  constexpr int in_flight = 4;
  for (std::int64_t first = begin + lane; first < end; first += in_flight * Lanes) {
    double value[in_flight];
    Index column[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const std::int64_t e = first + u * Lanes;
      value[u] = e < end ? __ldcs(values + e) : 0.0;
      column[u] = e < end ? __ldcs(columns + e) : -1;
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (column[u] >= 0) {
        double from[K];
        load_row<K, Aligned>(x + column[u] * stride, from);
#pragma unroll
        for (int j = 0; j < K; ++j) sum[j] += value[u] * from[j];
      }
    }
  }
}

/// Threads of a block. Neighbouring rows of a CI matrix read neighbouring elements of x, so a large
/// block finds more of them in its multiprocessor's first-level cache; with several vectors the
/// registers set the limit.
constexpr int block_threads(int k) {
  return k == 1 ? 512 : 256;
}

/// Y := αAX + βY, `Lanes` lanes a row. `Rows` is the format's device view; its
/// add<K, Lanes, Aligned>(i, lane, x, stride, sum) adds the lane's part of row i.
template <int K, int Lanes, bool Aligned, class Rows>
__global__ void __launch_bounds__(block_threads(K))
    multiply_rows_kernel(Rows rows, Index count, double alpha, const double* __restrict__ x,
                         std::int64_t x_stride, double beta, double* __restrict__ y,
                         std::int64_t y_stride) {
  const auto thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t i = thread / Lanes;
  const int lane = static_cast<int>(thread % Lanes);
  double sum[K] = {};
  if (i < count) rows.template add<K, Lanes, Aligned>(i, lane, x, x_stride, sum);
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int step = Lanes / 2; step > 0; step /= 2) {
      sum[j] += __shfl_xor_sync(0xffffffffu, sum[j], step);
    }
  }
  if (i < count && lane == 0) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      double& to = y[i * y_stride + j];
      to = alpha * sum[j] + (beta == 0.0 ? 0.0 : beta * to);
    }
  }
}

template <int Lanes, class Rows>
void multiply_rows(const Rows& rows, double alpha, ConstView x, double beta, View y) {
  if (y.rows == 0) return;
  constexpr int threads = 128;
  const auto blocks =
      static_cast<unsigned>((static_cast<std::int64_t>(y.rows) * Lanes + threads - 1) / threads);
  for_each_piece(x.columns, [&](auto width, int first) {
    constexpr int k = decltype(width)::value;
    const double* from = x.data + first;
    double* to = y.data + first;
    const bool aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && x.stride % 2 == 0;
    if (k % 2 == 0 && aligned) {
      multiply_rows_kernel<k, Lanes, k % 2 == 0>
          <<<blocks, threads>>>(rows, y.rows, alpha, from, x.stride, beta, to, y.stride);
    } else {
      multiply_rows_kernel<k, Lanes, false>
          <<<blocks, threads>>>(rows, y.rows, alpha, from, x.stride, beta, to, y.stride);
    }
    check_launch("sparse product");
  });
}

/// A warp a row, or a quarter of one where rows are short on average.
template <class Rows>
void multiply_rows_by_length(const Rows& rows, double mean_length, double alpha, ConstView x,
                             double beta, View y) {
  if (mean_length > 24) {
    multiply_rows<32>(rows, alpha, x, beta, y);
  } else {
    multiply_rows<8>(rows, alpha, x, beta, y);
  }
}

}  // namespace cisolve::cuda
