#include <algorithm>

#include "backends/cuda/check.hpp"
#include "backends/cuda/dense_kernels.hpp"
#include "backends/cuda/vector_kernels.hpp"
#include "core/mixed.hpp"

namespace cisolve::cuda {
namespace {

constexpr int threads = 256;

/// f(i, j) for every element of an n × k block, neighbouring threads on neighbouring elements.
/// `Number` is 32 bits wide where the elements allow it: the division by k is an eighth the price.
template <class Number, class F>
__global__ void for_each_element(Number count, Number columns, F f) {
  const Number step = static_cast<Number>(gridDim.x) * blockDim.x;
  for (Number e = static_cast<Number>(blockIdx.x) * blockDim.x + threadIdx.x; e < count;
       e += step) {
    const Number i = columns == 1 ? e : e / columns;
    f(static_cast<std::int64_t>(i), static_cast<int>(e - i * columns));
  }
}

template <class F>
void launch(Index rows, int columns, F f, const char* name) {
  const auto count = static_cast<std::uint64_t>(rows) * columns;
  if (count == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min<std::uint64_t>((count + threads - 1) / threads, 1 << 20));
  // The last step may pass the count by the whole grid; that too must fit.
  if (count + static_cast<std::uint64_t>(blocks) * threads < std::uint64_t{1} << 32) {
    for_each_element<<<blocks, threads>>>(static_cast<std::uint32_t>(count),
                                          static_cast<std::uint32_t>(columns), f);
  } else {
    for_each_element<<<blocks, threads>>>(count, static_cast<std::uint64_t>(columns), f);
  }
  check_launch(name);
}

__global__ void column_squares_kernel(ConstView x, double* partial) {
  // As many threads as fit whole rows, so that every thread stays in one column.
  extern __shared__ double sums[];
  const int k = x.columns;
  const int column = threadIdx.x % k;
  const int rows_at_once = blockDim.x / k;
  double sum = 0.0;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * rows_at_once + threadIdx.x / k; i < x.rows;
       i += static_cast<std::int64_t>(gridDim.x) * rows_at_once) {
    const double value = x.data[i * x.stride + column];
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < k) {
    double total = 0.0;
    for (int t = threadIdx.x; t < blockDim.x; t += k) total += sums[t];
    partial[static_cast<std::int64_t>(blockIdx.x) * k + column] = total;
  }
}

/// One thread block a column; among equal magnitudes the lowest row wins.
__global__ void largest_elements_kernel(ConstView x, double* elements) {
  __shared__ double values[threads];
  __shared__ std::int64_t rows[threads];
  const int j = blockIdx.x, t = threadIdx.x;
  double value = 0.0;
  std::int64_t row = x.rows;
  for (std::int64_t i = t; i < x.rows; i += threads) {
    const double candidate = x.data[i * x.stride + j];
    if (fabs(candidate) > fabs(value)) {
      value = candidate;
      row = i;
    }
  }
  values[t] = value;
  rows[t] = row;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t >= half) continue;
    const double other = fabs(values[t + half]), own = fabs(values[t]);
    if (other > own || (other == own && rows[t + half] < rows[t])) {
      values[t] = values[t + half];
      rows[t] = rows[t + half];
    }
  }
  if (t == 0) elements[j] = values[0];
}

}  // namespace

void copy(ConstView x, View y) {
  if (x.stride == x.columns && y.stride == y.columns) {
    check_cuda(
        cudaMemcpyAsync(y.data, x.data, sizeof(double) * y.rows * y.columns, cudaMemcpyDefault),
        "copying vectors");
    return;
  }
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) {
        y.data[i * y.stride + j] = x.data[i * x.stride + j];
      },
      "copy");
}

void fill_random(std::uint64_t stream, View y) {
  launch(
      y.rows, y.columns,
      [=, k = static_cast<std::uint64_t>(y.columns)] __device__(std::int64_t i, int j) {
        y.data[i * y.stride + j] = mixed_uniform(stream + static_cast<std::uint64_t>(i) * k + j);
      },
      "fill_random");
}

void fill(double value, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) { y.data[i * y.stride + j] = value; }, "fill");
}

void axpby(double alpha, ConstView x, double beta, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) {
        double& to = y.data[i * y.stride + j];
        to = alpha * x.data[i * x.stride + j] + (beta == 0.0 ? 0.0 : beta * to);
      },
      "axpby");
}

void sum(double alpha, ConstView x, double beta, ConstView y, View z) {
  launch(
      z.rows, z.columns,
      [=] __device__(std::int64_t i, int j) {
        z.data[i * z.stride + j] =
            alpha * x.data[i * x.stride + j] + beta * y.data[i * y.stride + j];
      },
      "sum");
}

void scale_columns(const ColumnValues& s, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) { y.data[i * y.stride + j] *= s.values[j]; },
      "scale_columns");
}

void gather_rows(const Index* rows, ConstView x, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t r, int j) {
        y.data[r * y.stride + j] = x.data[rows[r] * x.stride + j];
      },
      "gather_rows");
}

void scatter_rows(const Index* rows, ConstView x, View y) {
  launch(
      x.rows, x.columns,
      [=] __device__(std::int64_t r, int j) {
        y.data[rows[r] * y.stride + j] = x.data[r * x.stride + j];
      },
      "scatter_rows");
}

void largest_elements(ConstView x, double* elements) {
  if (x.columns == 0) return;
  largest_elements_kernel<<<x.columns, threads>>>(x, elements);
  check_launch("largest_elements");
}

void diagonal_correction(ConstView r, const ColumnValues& theta, ConstView d, Denominator kind,
                         double guard, View t) {
  launch(
      t.rows, t.columns,
      [=] __device__(std::int64_t i, int j) {
        t.data[i * t.stride + j] =
            r.data[i * r.stride + j] / guarded(kind, theta.values[j], d.data[i * d.stride], guard);
      },
      "diagonal_correction");
}

void jacobi_update(double omega, ConstView r, ConstView d, View x) {
  launch(
      x.rows, x.columns,
      [=] __device__(std::int64_t i, int j) {
        x.data[i * x.stride + j] += omega * r.data[i * r.stride + j] / d.data[i * d.stride];
      },
      "jacobi_update");
}

void column_squares(ConstView x, double* partial, int blocks, double* squares) {
  const int block_threads = threads / x.columns * x.columns;
  column_squares_kernel<<<blocks, block_threads, block_threads * sizeof(double)>>>(x, partial);
  check_launch("column_squares");
  add_partials(partial, blocks, x.columns, x.columns, squares, x.columns);
}

}  // namespace cisolve::cuda
