#pragma once

#include <cstdint>

#include "backends/cuda/check.hpp"
#include "backends/view.hpp"
#include "spmv/block_width.hpp"

// Algorithm 7's shape, a group of lanes a row, for every format whose rows are runs of entries.
// An entry costs 12 bytes of matrix, read once and streamed past the caches (ld.global.cs), and a
// gather of K neighbouring doubles, kept in them. Several entries a lane are in flight at once: on
// an H200 that, not arithmetic, decides whether the memory is busy.
//
// With several vectors, `Share` lanes take one entry together, K / Share vectors each: the lanes of
// a warp then read fewer and fuller sectors of x in one instruction.

namespace cisolve::cuda {

/// W neighbouring doubles at `from`, in 16-byte loads where the launcher found everything aligned.
template <int W, bool Aligned>
__device__ inline void load_row(const double* from, double (&to)[W]) {
  if constexpr (Aligned && W % 2 == 0) {
#pragma unroll
    for (int j = 0; j < W; j += 2) {
      const double2 pair = __ldg(reinterpret_cast<const double2*>(from + j));
      to[j] = pair.x;
      to[j + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int j = 0; j < W; ++j) to[j] = __ldg(from + j);
  }
}

/// How a row's lanes and a block's threads are laid out for K vectors.
template <int K_, int Lanes_, int Share_, int Threads_, int InFlight_>
struct Shape {
  static constexpr int vectors = K_;
  static constexpr int lanes = Lanes_;             ///< a row
  static constexpr int share = Share_;             ///< lanes on one entry
  static constexpr int width = K_ / Share_;        ///< vectors of one lane
  static constexpr int entries = Lanes_ / Share_;  ///< of a row, read side by side
  static constexpr int threads = Threads_;         ///< a block
  static constexpr int in_flight = InFlight_;      ///< entries of a lane
  static_assert(K_ % Share_ == 0 && Lanes_ % Share_ == 0);
};

/// sum_j += Σ_e values[e] · x(columns[e], j) over this lane's entries among begin … end − 1 and its
/// vectors; x points to the first of them.
template <class S, bool Aligned>
__device__ inline void add_entries(const double* values, const Index* columns, std::int64_t begin,
                                   std::int64_t end, int lane, const double* x, int stride,
                                   double (&sum)[S::width]) {
  constexpr int in_flight = S::in_flight;
  for (std::int64_t first = begin + lane / S::share; first < end; first += in_flight * S::entries) {
    double value[in_flight];
    Index column[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      // Past the end the last entry is read again and counts as zero: cheaper than a branch.
      const std::int64_t e = first + u * S::entries;
      const std::int64_t inside = e < end ? e : end - 1;
      value[u] = e < end ? __ldcs(values + inside) : 0.0;
      column[u] = __ldcs(columns + inside);
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      double from[S::width];
      load_row<S::width, Aligned>(x + static_cast<std::int64_t>(column[u]) * stride, from);
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] += value[u] * from[j];
    }
  }
}

/// The row of Y that stored row i is: i itself, unless the format keeps its rows in another order.
template <class Rows>
__device__ inline std::int64_t output_row(const Rows& rows, std::int64_t i) {
  if constexpr (requires { rows.output_row(i); }) {
    return rows.output_row(i);
  } else {
    return i;
  }
}

/// Y := αAX + βY. `Rows` is the format's device view; its add<S, Aligned>(i, lane, x, stride, sum)
/// adds the lane's part of stored row i.
template <class S, bool Aligned, class Rows>
__global__ void __launch_bounds__(S::threads)
    multiply_rows_kernel(Rows rows, Index count, double alpha, const double* __restrict__ x,
                         int x_stride, double beta, double* __restrict__ y, int y_stride) {
  const auto thread = static_cast<std::int64_t>(blockIdx.x) * S::threads + threadIdx.x;
  const std::int64_t i = thread / S::lanes;
  const int lane = static_cast<int>(thread % S::lanes);
  const int first_vector = lane % S::share * S::width;
  double sum[S::width] = {};
  if (i < count) rows.template add<S, Aligned>(i, lane, x + first_vector, x_stride, sum);
#pragma unroll
  for (int j = 0; j < S::width; ++j) {
#pragma unroll
    for (int step = S::lanes / 2; step >= S::share; step /= 2) {
      sum[j] += __shfl_xor_sync(0xffffffffu, sum[j], step);
    }
  }
  if (i < count && lane < S::share) {
    double* to_row = y + output_row(rows, i) * y_stride + first_vector;
#pragma unroll
    for (int j = 0; j < S::width; ++j) {
      double& to = to_row[j];
      to = alpha * sum[j] + (beta == 0.0 ? 0.0 : beta * to);
    }
  }
}

template <class S, class Rows>
void launch_rows(const Rows& rows, double alpha, ConstView x, double beta, View y) {
  if (y.rows == 0) return;
  const auto blocks = static_cast<unsigned>(
      (static_cast<std::int64_t>(y.rows) * S::lanes + S::threads - 1) / S::threads);
  const auto x_stride = static_cast<int>(x.stride);
  const auto y_stride = static_cast<int>(y.stride);
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x_stride % 2 == 0;
  if (S::width % 2 == 0 && aligned) {
    multiply_rows_kernel<S, S::width % 2 == 0>
        <<<blocks, S::threads>>>(rows, y.rows, alpha, x.data, x_stride, beta, y.data, y_stride);
  } else {
    multiply_rows_kernel<S, false>
        <<<blocks, S::threads>>>(rows, y.rows, alpha, x.data, x_stride, beta, y.data, y_stride);
  }
  check_launch("sparse product");
}

/// The shapes that were fastest for CI matrices on an H200 (`cisolve bench`). Blocks are
/// large: neighbouring rows of a CI matrix read neighbouring elements of x, and a large block finds
/// more of them in its multiprocessor's first-level cache.
template <int K>
struct LongRows;
template <>
struct LongRows<1> : Shape<1, 32, 1, 512, 4> {};
template <>
struct LongRows<2> : Shape<2, 32, 1, 1024, 4> {};
template <>
struct LongRows<3> : Shape<3, 16, 1, 512, 4> {};
template <>
struct LongRows<4> : Shape<4, 16, 2, 1024, 8> {};
template <>
struct LongRows<6> : Shape<6, 8, 1, 512, 2> {};
template <>
struct LongRows<8> : Shape<8, 32, 4, 512, 4> {};

/// Rows shorter than a warp on average: a quarter of one each.
template <int K>
using ShortRows = Shape<K, 8, LongRows<K>::share, 512, 4>;

/// Y := αAX + βY for rows that are runs of entries.
template <class Rows>
void multiply_rows(const Rows& rows, double mean_length, double alpha, ConstView x, double beta,
                   View y) {
  for_each_piece(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value;
    const ConstView from = x.slice(first, k);
    const View to = y.slice(first, k);
    if (mean_length > 24) {
      launch_rows<LongRows<k>>(rows, alpha, from, beta, to);
    } else {
      launch_rows<ShortRows<k>>(rows, alpha, from, beta, to);
    }
  });
}

}  // namespace cisolve::cuda
