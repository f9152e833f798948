#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cuda/check.hpp"
#include "backends/view.hpp"
#include "formats/shared/stored_operator.hpp"
#include "spmv/block_width.hpp"

// Algorithm 7's shape, a group of lanes a row, for every format whose rows are runs of entries.
// An entry costs 12 bytes of matrix (8 where values are in single precision), read once and
// streamed past the caches (ld.global.cs), and a gather of K neighbouring doubles, kept in them.
// Several entries a lane are in flight at once: on an H200 that, not arithmetic, decides whether
// the memory is busy.
//
// With several vectors, `Share` lanes take one entry together, K / Share vectors each: the lanes of
// a warp then read fewer and fuller sectors of x in one instruction.

namespace cisolve::cuda {

/// W neighbouring doubles at `from`, in 16-byte loads where the rows of X are aligned to that.
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

/// Layout of a row's lanes and a block's threads for K vectors.
template <int K_, int Lanes_, int Share_, int Threads_, int InFlight_>
struct Shape {
  static constexpr int vectors = K_;
  static constexpr int lanes = Lanes_;             ///< a row
  static constexpr int share = Share_;             ///< lanes on one entry
  static constexpr int width = K_ / Share_;        ///< vectors of one lane
  static constexpr int entries = Lanes_ / Share_;  ///< of a row, read side by side
  static constexpr int threads = Threads_;         ///< a block, at most
  /// Blocks that must find room on a multiprocessor. Its 65,536 registers let 2048 threads with 32
  /// each be there at once, which lanes that share a row and hold few vectors can do with.
  static constexpr int blocks = Lanes_ == 1 ? 1 : (width > 3 ? 1024 : 2048) / Threads_;
  static constexpr int in_flight = InFlight_;  ///< entries of a lane
  static_assert(K_ % Share_ == 0 && Lanes_ % Share_ == 0);
};

/// sum_j += Σ_e values[e] · x(columns[e], j) over a lane's next entries: in_flight of them where
/// `Whole`, else those below `left`. All are loaded before the first is used.
template <class S, bool Whole, class Value>
__device__ inline void add_batch(const Value* values, const Index* columns, int left,
                                 const double* x, int stride, double (&sum)[S::width]) {
  Value value[S::in_flight];
  Index column[S::in_flight];
#pragma unroll
  for (int u = 0; u < S::in_flight; ++u) {
    const bool inside = Whole || u * S::entries < left;
    column[u] = inside ? __ldcs(columns + u * S::entries) : 0;
    value[u] = inside ? __ldcs(values + u * S::entries) : Value{0};
  }
#pragma unroll
  for (int u = 0; u < S::in_flight; ++u) {
    if (Whole || u * S::entries < left) {
      double from[S::width];
      load_row<S::width, true>(x + static_cast<std::int64_t>(column[u]) * stride, from);
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] += value[u] * from[j];
    }
  }
}

/// Adds this lane's entries among begin … end − 1 to its vectors' sums; x points to the first of
/// them. Whole batches need no test for each entry, unlike one loop over all.
template <class S, class Value>
__device__ inline void add_entries(const Value* values, const Index* columns, std::int64_t begin,
                                   std::int64_t end, int lane, const double* x, int stride,
                                   double (&sum)[S::width]) {
  constexpr int batch = S::in_flight * S::entries;
  const int first = lane / S::share;
  values += begin + first;
  columns += begin + first;
  auto left = static_cast<Index>(end - begin);
  for (; left >= batch; left -= batch) {
    add_batch<S, true>(values, columns, batch, x, stride, sum);
    values += batch;
    columns += batch;
  }
  add_batch<S, false>(values, columns, left - first, x, stride, sum);
}

/// sum_j += value · x(column, j) of one entry, where a lane has a row.
template <class S, class Value>
__device__ inline void add_entry(const Value* value, const Index* column, const double* x,
                                 int stride, double (&sum)[S::width]) {
  const Value element = __ldcs(value);
  double from[S::width];
  load_row<S::width, true>(x + static_cast<std::int64_t>(__ldcs(column)) * stride, from);
#pragma unroll
  for (int j = 0; j < S::width; ++j) sum[j] += element * from[j];
}

/// sum_j += d_i · x(i, j), by the lanes that also take the row's first entry: the diagonal, where
/// it is kept apart.
template <class S>
__device__ inline void add_diagonal(Diagonal diagonal, std::int64_t i, int lane, const double* x,
                                    int stride, double (&sum)[S::width]) {
  if (lane >= S::share || i >= diagonal.count) return;
  const double element = __ldg(diagonal.elements + i);
  double from[S::width];
  load_row<S::width, true>(x + i * stride, from);
#pragma unroll
  for (int j = 0; j < S::width; ++j) sum[j] += element * from[j];
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

/// Y := αAX + βY for contiguous X. `Rows` is the format's device view; its add<S>(i, lane, x,
/// stride, sum) adds the lane's part of stored row i. Blocks take their rows in turn.
template <class S, class Rows>
__global__ void __launch_bounds__(S::threads, S::blocks)
    multiply_rows_kernel(Rows rows, Index count, double alpha, const double* __restrict__ x,
                         double beta, double* __restrict__ y, int y_stride) {
  const int lane = static_cast<int>(threadIdx.x % S::lanes);
  const int first_vector = lane % S::share * S::width;
  const auto rows_at_once = static_cast<std::int64_t>(blockDim.x / S::lanes);
  for (std::int64_t first = blockIdx.x * rows_at_once; first < count;
       first += gridDim.x * rows_at_once) {
    const std::int64_t i = first + threadIdx.x / S::lanes;
    double sum[S::width] = {};
    if (i < count) rows.template add<S>(i, lane, x + first_vector, S::vectors, sum);
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
}

/// Multiprocessors of the device.
inline int multiprocessors() {
  static const int count = [] {
    int device = 0, found = 1;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device),
               "asking for its multiprocessors");
    return found;
  }();
  return count;
}

/// Blocks of a grid: one for each piece of work. With four vectors and more, and at most four turns
/// of blocks, only as many as the device holds at once. These take the pieces in turn, so that the
/// last turn is no emptier than the others. One vector gains nothing by it.
inline unsigned grid_blocks(std::int64_t pieces, int threads, int vectors) {
  const std::int64_t at_once = std::int64_t{multiprocessors()} * (2048 / threads);
  const bool in_turn = vectors >= 4 && pieces <= 4 * at_once;
  return static_cast<unsigned>(in_turn ? std::min(pieces, at_once) : pieces);
}

/// Threads of a block: as many as wanted, if the kernel is compiled for that many.
inline int threads_of_block(const KernelSettings& wanted, int most) {
  return wanted.block_threads > 0 ? std::min(wanted.block_threads, most) : most;
}

/// A stride known to the compiler saves the registers that let all lanes of a multiprocessor be at
/// work: hence contiguous X.
template <class S, class Rows>
void launch_rows(const StoredOperator& a, const Rows& rows, double alpha, ConstView x, double beta,
                 View y) {
  if (y.rows == 0) return;
  const int threads = threads_of_block(a.kernel(), S::threads);
  const int rows_at_once = threads / S::lanes;
  const unsigned blocks = grid_blocks((y.rows - 1) / rows_at_once + 1, threads, S::vectors);
  multiply_rows_kernel<S><<<blocks, threads>>>(rows, y.rows, alpha, a.contiguous(x).data, beta,
                                               y.data, static_cast<int>(y.stride));
  check_launch("sparse product");
}

/// The shapes that were fastest for CI matrices on an H200 (`cisolve bench`). Blocks are
/// large: neighbouring rows of a CI matrix read neighbouring elements of x, and a large block finds
/// more of them in its multiprocessor's first-level cache.
template <int K>
struct LongRows;
template <>
struct LongRows<1> : Shape<1, 32, 1, 512, 6> {};
template <>
struct LongRows<2> : Shape<2, 32, 1, 1024, 4> {};
template <>
struct LongRows<3> : Shape<3, 32, 1, 1024, 2> {};
template <>
struct LongRows<4> : Shape<4, 32, 2, 1024, 4> {};
template <>
struct LongRows<6> : Shape<6, 16, 1, 1024, 2> {};
template <>
struct LongRows<8> : Shape<8, 32, 4, 1024, 4> {};

/// The shape of long rows with another number of lanes a row.
template <int K, int Lanes>
using WithLanes = Shape<K, Lanes, LongRows<K>::share, LongRows<K>::threads, LongRows<K>::in_flight>;

/// The kernels worth trying for rows that are runs of entries, and where a lane has a row.
inline constexpr KernelSettings row_kernels[] = {
    {.threads_per_row = 8, .block_threads = 512},  {.threads_per_row = 8, .block_threads = 1024},
    {.threads_per_row = 16, .block_threads = 512}, {.threads_per_row = 16, .block_threads = 1024},
    {.threads_per_row = 32, .block_threads = 256}, {.threads_per_row = 32, .block_threads = 512},
    {.threads_per_row = 32, .block_threads = 1024}};
inline constexpr int lane_a_row_threads = 256;
inline constexpr KernelSettings lane_a_row_kernels[] = {
    {.block_threads = 64}, {.block_threads = 128}, {.block_threads = lane_a_row_threads}};

/// Kernel that `wanted` becomes for K vectors and rows that are runs of entries: rows shorter than
/// a warp on average get a quarter of one, unless it says otherwise.
template <int K>
KernelSettings effective_row_kernel(const KernelSettings& wanted, double mean_length) {
  const int chosen = mean_length > 24 ? LongRows<K>::lanes : 8;
  return {.threads_per_row = wanted.threads_per_row > 0 ? wanted.threads_per_row : chosen,
          .block_threads = threads_of_block(wanted, LongRows<K>::threads)};
}
/// Kernel for the widest piece of a block of so many vectors.
inline KernelSettings effective_row_kernel(const KernelSettings& wanted, double mean_length,
                                           int vectors) {
  KernelSettings widest;
  for_each_device_piece(vectors, [&](auto piece, int first) {
    if (first == 0) widest = effective_row_kernel<decltype(piece)::value>(wanted, mean_length);
  });
  return widest;
}

/// The operator of a format whose products give a lane a row (`multiply_lane_a_row`).
class LaneARowOperator : public StoredOperator {
 public:
  using StoredOperator::StoredOperator;
  std::span<const KernelSettings> kernels() const override { return lane_a_row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int) const override {
    return {.block_threads = threads_of_block(wanted, lane_a_row_threads)};
  }
};

/// Y := αAX + βY for rows that are runs of entries.
template <class Rows>
void multiply_rows(const StoredOperator& a, const Rows& rows, double mean_length, double alpha,
                   ConstView x, double beta, View y) {
  for_each_device_piece(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value;
    const int lanes = effective_row_kernel<k>(a.kernel(), mean_length).threads_per_row;
    const auto launch = [&]<class S>() {
      launch_rows<S>(a, rows, alpha, x.slice(first, k), beta, y.slice(first, k));
    };
    if (lanes == 8) {
      launch.template operator()<WithLanes<k, 8>>();
    } else if (lanes == 16) {
      launch.template operator()<WithLanes<k, 16>>();
    } else {
      launch.template operator()<WithLanes<k, 32>>();
    }
  });
}

/// Product of a format that stores entry e of many rows together: a lane a row.
template <int InFlight, class Rows>
void multiply_lane_a_row(const StoredOperator& a, const Rows& rows, double alpha, ConstView x,
                         double beta, View y) {
  for_each_device_piece(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value;
    launch_rows<Shape<k, 1, 1, lane_a_row_threads, InFlight>>(a, rows, alpha, x.slice(first, k),
                                                              beta, y.slice(first, k));
  });
}

}  // namespace cisolve::cuda
