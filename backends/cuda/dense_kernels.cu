#include <algorithm>
#include <bit>
#include <type_traits>

#include "backends/cuda/check.hpp"
#include "backends/cuda/dense_kernels.hpp"
#include "backends/cuda/warp.cuh"

namespace cisolve::cuda {
namespace {

constexpr int gram_threads = 256;
constexpr int gram_columns = 64;  // of [X₁ X₂] that a thread block takes
constexpr int add_width = 32;
constexpr int rows_at_once = 128;  // of a thread block of `combination`, one a thread
constexpr int slab = 8;            // columns brought to shared memory at once
constexpr int pitch = slab + 1;    // odd: neighbouring rows lie in different banks
constexpr int wide_threads = 256;
constexpr int wide_rows = 4;

int blocks_for(std::int64_t work, int blocks) {
  return static_cast<int>(std::clamp<std::int64_t>(work, 1, blocks));
}

/// Calls f with the integral constant `k`, the first of the widths.
template <int... widths, class F>
void with_width(int k, F f) {
  static_cast<void>(((k == widths && (f(std::integral_constant<int, widths>{}), true)) || ...));
}

/// A thread has a column of [X₁ X₂] and every so manieth row; neighbouring threads read
/// neighbouring columns, and the threads of a row the same numbers of Y. `partial`: a row-major
/// matrix of m × k a block of the grid's x.
template <int k>
__global__ void gram_kernel(ConstView x1, ConstView x2, ConstView y, double* partial) {
  __shared__ double shared[gram_threads * k];
  const int m = x1.columns + x2.columns;
  const int first = blockIdx.y * gram_columns;
  const int width = min(gram_columns, m - first);
  const int lanes = gram_threads / width;
  const int lane = threadIdx.x / width;
  const int column = first + threadIdx.x % width;
  const bool of_first = column < x1.columns;
  const double* x = of_first ? x1.data + column : x2.data + (column - x1.columns);
  const std::int64_t stride = of_first ? x1.stride : x2.stride;
  double sums[k] = {};
  if (lane < lanes) {
    const auto step = static_cast<std::int64_t>(gridDim.x) * lanes;
#pragma unroll 4
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * lanes + lane; i < y.rows;
         i += step) {
      const double value = x[i * stride];
#pragma unroll
      for (int j = 0; j < k; ++j) sums[j] += value * y.data[i * y.stride + j];
    }
  }
#pragma unroll
  for (int j = 0; j < k; ++j) shared[threadIdx.x * k + j] = sums[j];
  __syncthreads();
  for (int e = threadIdx.x; e < width * k; e += gram_threads) {
    double total = 0.0;
    for (int l = 0; l < lanes; ++l) total += shared[l * width * k + e];
    partial[(static_cast<std::int64_t>(blockIdx.x) * m + first) * k + e] = total;
  }
}

/// Element e of a row-major matrix of `count` elements, k a row: the sum of the partial ones.
__global__ void add_partials_kernel(const double* partial, int parts, int count, int k, double* to,
                                    std::int64_t stride) {
  __shared__ double shared[add_width][add_width + 1];
  const int e = blockIdx.x * add_width + threadIdx.x;
  double sum = 0.0;
  if (e < count) {
#pragma unroll 4
    for (int p = threadIdx.y; p < parts; p += add_width) {
      sum += partial[static_cast<std::int64_t>(p) * count + e];
    }
  }
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || e >= count) return;
  double total = 0.0;
  for (int row = 0; row < add_width; ++row) total += shared[row][threadIdx.x];
  to[e / k * stride + e % k] = total;
}

/// Coefficients among the kernel's arguments, or in device memory.
struct Parameters {
  double values[most_parameters];
};
struct InMemory {
  const double* values;
};

/// sums += XC for the thread's row of `first` … + rows_at_once − 1: columns come to shared memory a
/// slab at a time, neighbouring threads reading neighbouring numbers.
template <int k>
__device__ void add_product(ConstView x, const double* c, std::int64_t first, double* tile,
                            double (&sums)[k]) {
  for (int column = 0; column < x.columns; column += slab) {
    const int width = min(slab, x.columns - column);
    __syncthreads();  // the slab before has been used
#pragma unroll
    for (int s = 0; s < slab; ++s) {
      const int e = threadIdx.x + s * rows_at_once;
      const int r = e / slab, a = e % slab;
      const bool inside = first + r < x.rows && a < width;
      tile[r * pitch + a] = inside ? x.data[(first + r) * x.stride + column + a] : 0.0;
    }
    __syncthreads();
    for (int a = 0; a < width; ++a) {
      const double value = tile[threadIdx.x * pitch + a];
#pragma unroll
      for (int j = 0; j < k; ++j) sums[j] += value * c[(column + a) * k + j];
    }
  }
}

/// Y's rows := sums + βY, through shared memory as well.
template <int k>
__device__ void store(const double (&sums)[k], double beta, View y, std::int64_t first,
                      double* tile) {
  constexpr int width = k < slab ? k : slab;
#pragma unroll
  for (int column = 0; column < k; column += width) {
    __syncthreads();
#pragma unroll
    for (int a = 0; a < width; ++a) tile[threadIdx.x * pitch + a] = sums[column + a];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < width; ++s) {
      const int e = threadIdx.x + s * rows_at_once;
      const int r = e / width, a = e % width;
      if (first + r >= y.rows || column + a >= y.columns) continue;
      double& to = y.data[(first + r) * y.stride + column + a];
      const double value = tile[r * pitch + a];
      to = beta == 0.0 ? value : value + beta * to;
    }
  }
}

/// The thread block's sums of `squares`, in a fixed order.
template <int k>
__device__ void store_squares(double (&squares)[k], double* tile, double* partial) {
  constexpr int warps = rows_at_once / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < k; ++j) {
    double sum = squares[j];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(full_warp, sum, half);
    if (lane == 0) tile[warp * k + j] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= k) return;
  double total = 0.0;
  for (int w = 0; w < warps; ++w) total += tile[w * k + threadIdx.x];
  partial[static_cast<std::int64_t>(blockIdx.x) * k + threadIdx.x] = total;
}

template <int k, class Coefficients>
__global__ void __launch_bounds__(rows_at_once)
    combination_kernel(ConstView x1, ConstView x2, const __grid_constant__ Coefficients c,
                       double beta, View y, double* partial) {
  __shared__ double tile[rows_at_once * pitch];
  double squares[k] = {};
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_at_once; first < y.rows;
       first += static_cast<std::int64_t>(gridDim.x) * rows_at_once) {
    double sums[k] = {};  // zero in the rows beyond the last
    add_product<k>(x1, c.values, first, tile, sums);
    add_product<k>(x2, c.values + x1.columns * k, first, tile, sums);
    if (partial != nullptr) {
#pragma unroll
      for (int j = 0; j < k; ++j) squares[j] += sums[j] * sums[j];
    }
    store<k>(sums, beta, y, first, tile);
  }
  if (partial != nullptr) store_squares<k>(squares, tile, partial);
}

/// A thread block has a few rows; a thread every so manieth column of them.
template <int k>
__global__ void __launch_bounds__(wide_threads)
    wide_combination_kernel(ConstView x, ConstView c, View y) {
  constexpr int warps = wide_threads / 32;
  __shared__ double shared[warps][wide_rows * k];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * wide_rows;
  double sums[wide_rows][k] = {};
#pragma unroll 2
  for (int a = threadIdx.x; a < x.columns; a += wide_threads) {
    double factors[k];
#pragma unroll
    for (int j = 0; j < k; ++j) factors[j] = c.data[a * c.stride + j];
#pragma unroll
    for (int r = 0; r < wide_rows; ++r) {
      const double value = first + r < x.rows ? x.data[(first + r) * x.stride + a] : 0.0;
#pragma unroll
      for (int j = 0; j < k; ++j) sums[r][j] += value * factors[j];
    }
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int r = 0; r < wide_rows; ++r) {
#pragma unroll
    for (int j = 0; j < k; ++j) {
      double sum = sums[r][j];
      for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(full_warp, sum, half);
      if (lane == 0) shared[warp][r * k + j] = sum;
    }
  }
  __syncthreads();
  if (threadIdx.x >= wide_rows * k || first + threadIdx.x / k >= y.rows) return;
  double total = 0.0;
  for (int w = 0; w < warps; ++w) total += shared[w][threadIdx.x];
  y.data[(first + threadIdx.x / k) * y.stride + threadIdx.x % k] = total;
}

/// Product with `lanes` threads a row; each takes every so manieth column of the row's block.
template <int lanes>
__global__ void __launch_bounds__(block_threads)
    multiply_blocks_kernel(double alpha, ConstView blocks, ConstView x, double beta, View y) {
  const int lane = threadIdx.x % lanes, in_warp = threadIdx.x % 32 / lanes;
  const auto step = static_cast<std::int64_t>(gridDim.x) * (block_threads / lanes);
  // A warp goes on as long as one of its rows is inside.
  for (auto i = (static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x) / lanes;
       i - in_warp < y.rows; i += step) {
    const bool inside = i < y.rows;
    const std::int64_t first = i / blocks.columns * blocks.columns;
    const auto size = static_cast<int>(
        inside ? min(static_cast<std::int64_t>(blocks.columns), y.rows - first) : 0);
    for (int j = 0; j < y.columns; ++j) {
      double sum = 0.0;
      for (int a = lane; a < size; a += lanes) {
        sum += blocks.data[i * blocks.stride + a] * x.data[(first + a) * x.stride + j];
      }
      for (int half = lanes / 2; half > 0; half /= 2) {
        sum += __shfl_down_sync(full_warp, sum, half, lanes);
      }
      if (!inside || lane != 0) continue;
      double& to = y.data[i * y.stride + j];
      to = beta == 0.0 ? alpha * sum : alpha * sum + beta * to;
    }
  }
}

}  // namespace

void add_partials(const double* partial, int parts, int count, int k, double* to,
                  std::int64_t stride) {
  add_partials_kernel<<<(count + add_width - 1) / add_width, dim3(add_width, add_width)>>>(
      partial, parts, count, k, to, stride);
  check_launch("add_partials");
}

std::size_t gram_partials(int m, int blocks) {
  const int tiles = (m + gram_columns - 1) / gram_columns;
  return static_cast<std::size_t>(blocks + tiles) * gram_columns * widest_gram;
}

std::size_t square_partials(int blocks) {
  return static_cast<std::size_t>(blocks) * widest_combination;
}

void gram(ConstView x1, ConstView x2, ConstView y, double* partial, int blocks, double* c,
          std::int64_t stride) {
  const int m = x1.columns + x2.columns, k = y.columns;
  if (m == 0 || k == 0) return;
  const int tiles = (m + gram_columns - 1) / gram_columns;
  const int lanes = gram_threads / std::min(m, gram_columns);
  const int parts = blocks_for((y.rows + lanes - 1) / lanes, std::max(blocks / tiles, 1));
  with_width<1, 2, 3, 4, 5, 6, 7, 8>(k, [&](auto width) {
    gram_kernel<width><<<dim3(parts, tiles), gram_threads>>>(x1, x2, y, partial);
  });
  check_launch("gram");
  add_partials(partial, parts, m * k, k, c, stride);
}

int combination_width(int k) {
  if (k <= 6) return std::max(k, 1);
  return k <= 8 ? 8 : k <= 16 ? 16 : widest_combination;
}

void combination(ConstView x1, ConstView x2, std::span<const double> host, const double* device,
                 double beta, View y, int blocks, double* partial, double* squares) {
  if (y.columns == 0) return;
  const int grid = blocks_for((y.rows + rows_at_once - 1) / rows_at_once, blocks);
  with_width<1, 2, 3, 4, 5, 6, 8, 16, 32>(combination_width(y.columns), [&](auto width) {
    if (device == nullptr) {
      Parameters parameters;
      std::copy(host.begin(), host.end(), parameters.values);
      combination_kernel<width><<<grid, rows_at_once>>>(x1, x2, parameters, beta, y, partial);
    } else {
      combination_kernel<width><<<grid, rows_at_once>>>(x1, x2, InMemory{device}, beta, y, partial);
    }
    check_launch("combination");
    if (squares != nullptr) add_partials(partial, grid, width, width, squares, width);
  });
}

void wide_combination(ConstView x, ConstView c, View y) {
  if (y.rows == 0 || y.columns == 0) return;
  const auto blocks = static_cast<unsigned>((y.rows + wide_rows - 1) / wide_rows);
  with_width<1, 2, 3, 4, 5, 6, 7, 8>(y.columns, [&](auto width) {
    wide_combination_kernel<width><<<blocks, wide_threads>>>(x, c, y);
  });
  check_launch("wide_combination");
}

void multiply_blocks(double alpha, ConstView blocks, ConstView x, double beta, View y) {
  if (y.rows == 0 || y.columns == 0) return;
  const int wanted = std::min(32, blocks.columns);
  with_width<1, 2, 4, 8, 16, 32>(
      static_cast<int>(std::bit_ceil(static_cast<unsigned>(wanted))), [&](auto lanes) {
        constexpr std::int64_t rows = block_threads / lanes;
        const auto grid =
            static_cast<unsigned>(std::min<std::int64_t>((y.rows + rows - 1) / rows, 1 << 20));
        multiply_blocks_kernel<lanes><<<grid, block_threads>>>(alpha, blocks, x, beta, y);
      });
  check_launch("multiply_blocks");
}

}  // namespace cisolve::cuda
