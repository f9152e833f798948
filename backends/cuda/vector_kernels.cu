#include <algorithm>

#include "backends/cuda/check.hpp"
#include "backends/cuda/dense_kernels.hpp"
#include "backends/cuda/vector_kernels.hpp"
#include "backends/cuda/warp.cuh"
#include "core/mixed.hpp"
#include "core/random.hpp"

namespace cisolve::cuda {
namespace {

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
  const auto blocks = static_cast<unsigned>(
      std::min<std::uint64_t>((count + block_threads - 1) / block_threads, 1 << 20));
  // The last step may pass the count by the whole grid; that too must fit.
  if (count + static_cast<std::uint64_t>(blocks) * block_threads < std::uint64_t{1} << 32) {
    for_each_element<<<blocks, block_threads>>>(static_cast<std::uint32_t>(count),
                                                static_cast<std::uint32_t>(columns), f);
  } else {
    for_each_element<<<blocks, block_threads>>>(count, static_cast<std::uint64_t>(columns), f);
  }
  check_launch(name);
}

/// Sums of f(i, j) over the rows of a block of k columns, one of each column from a thread block.
template <class F>
__global__ void column_sums_kernel(std::int64_t rows, int k, F f, double* partial) {
  // Threads up to a multiple of the row's length take part, so that each stays in one column.
  extern __shared__ double sums[];
  const int column = threadIdx.x % k;
  const int rows_at_once = blockDim.x / k;
  double sum = 0.0;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * rows_at_once + threadIdx.x / k; i < rows;
       i += static_cast<std::int64_t>(gridDim.x) * rows_at_once) {
    sum += f(i, column);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < k) {
    double total = 0.0;
    for (int t = threadIdx.x; t < blockDim.x; t += k) total += sums[t];
    partial[static_cast<std::int64_t>(blockIdx.x) * k + column] = total;
  }
}

/// sums_j := Σ_i f(i, j) for the columns of a block.
template <class F>
void column_sums(ConstView block, F f, double* partial, int blocks, double* sums,
                 const char* name) {
  const int k = block.columns, whole_rows = block_threads / k * k;
  column_sums_kernel<<<blocks, whole_rows, whole_rows * sizeof(double)>>>(block.rows, k, f,
                                                                          partial);
  check_launch(name);
  add_partials(partial, blocks, k, k, sums, k);
}

/// The combination of what the block's threads hold, in its first thread; `combine` in any order.
template <class T, class Combine>
__device__ T combined_in_block(T own, Combine combine) {
  __shared__ T held[block_threads];
  const int t = threadIdx.x;
  held[t] = own;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) held[t] = combine(held[t], held[t + half]);
  }
  return held[0];
}

/// Takes of two elements the one of larger magnitude, of equal ones that of the lower row; what is
/// beyond the limit counts as equal. NaN is never taken.
struct Larger {
  double limit;

  __device__ double magnitude(const LargeElement& x) const {
    const double size = fabs(x.value);
    return limit < size ? limit : size;
  }
  __device__ LargeElement operator()(const LargeElement& x, const LargeElement& y) const {
    const double own = magnitude(x), other = magnitude(y);
    return other > own || (other == own && y.row < x.row) ? y : x;
  }
};

/// Limit on magnitudes of column j: that part of its largest element, or infinity.
__device__ Larger larger_of_column(const double* largest, double part, int j) {
  return {largest == nullptr ? INFINITY : part * fabs(largest[j])};
}

/// Thread blocks gridDim.x a column, each of which leaves an element.
__global__ void large_elements_kernel(ConstView x, const double* largest, double part,
                                      LargeElement* partial) {
  const int j = blockIdx.y;
  const Larger larger = larger_of_column(largest, part, j);
  LargeElement found{0.0, x.rows};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
       i < x.rows; i += step) {
    found = larger(found, {x.data[i * x.stride + j], i});
  }
  found = combined_in_block(found, larger);
  if (threadIdx.x == 0) partial[static_cast<std::int64_t>(j) * gridDim.x + blockIdx.x] = found;
}

/// One thread block a column.
__global__ void combine_large_elements(const LargeElement* partial, int parts,
                                       const double* largest, double part, double* elements) {
  const int j = blockIdx.x;
  const Larger larger = larger_of_column(largest, part, j);
  LargeElement found = partial[static_cast<std::int64_t>(j) * parts];
  for (int p = threadIdx.x; p < parts; p += block_threads) {
    found = larger(found, partial[static_cast<std::int64_t>(j) * parts + p]);
  }
  found = combined_in_block(found, larger);
  if (threadIdx.x == 0) elements[j] = found.value;
}

struct Extremes {
  double lowest, highest;
};
struct Wider {
  __device__ Extremes operator()(const Extremes& x, const Extremes& y) const {
    return {fmin(x.lowest, y.lowest), fmax(x.highest, y.highest)};
  }
};

__global__ void extremes_kernel(ConstView x, Extremes* partial) {
  Extremes found{x.data[0], x.data[0]};
  const std::int64_t count = static_cast<std::int64_t>(x.rows) * x.columns;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
       e < count; e += step) {
    const std::int64_t i = x.columns == 1 ? e : e / x.columns;
    const double value = x.data[i * x.stride + (e - i * x.columns)];
    found = Wider{}(found, {value, value});
  }
  found = combined_in_block(found, Wider{});
  if (threadIdx.x == 0) partial[blockIdx.x] = found;
}

__global__ void combine_extremes(const Extremes* partial, int parts, double* extremes) {
  Extremes found = partial[0];
  for (int p = threadIdx.x; p < parts; p += block_threads) found = Wider{}(found, partial[p]);
  found = combined_in_block(found, Wider{});
  if (threadIdx.x == 0) {
    extremes[0] = found.lowest;
    extremes[1] = found.highest;
  }
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

void fill_normal(std::uint64_t seed, std::int64_t first, View y) {
  launch(
      y.rows, y.columns,
      [=, k = static_cast<std::uint64_t>(y.columns)] __device__(std::int64_t i, int j) {
        const auto row = static_cast<std::uint64_t>(first + i);
        y.data[i * y.stride + j] = Random(seed, row * k + j).normal();
      },
      "fill_normal");
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

void waxpby(double alpha, ConstView x, double beta, ConstView y, View w) {
  launch(
      w.rows, w.columns,
      [=] __device__(std::int64_t i, int j) {
        w.data[i * w.stride + j] =
            alpha * x.data[i * x.stride + j] + beta * y.data[i * y.stride + j];
      },
      "waxpby");
}

void scale_columns(const ColumnValues& s, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) { y.data[i * y.stride + j] *= s.values[j]; },
      "scale_columns");
}

void add_columns(const ColumnValues& a, ConstView v, const ColumnValues& b, ConstView w, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) {
        y.data[i * y.stride + j] +=
            a.values[j] * v.data[i * v.stride + j] + b.values[j] * w.data[i * w.stride + j];
      },
      "add_columns");
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

void largest_elements(ConstView x, const double* largest, double part, LargeElement* partial,
                      int blocks, double* elements) {
  const dim3 grid(blocks, x.columns);
  large_elements_kernel<<<grid, block_threads>>>(x, largest, part, partial);
  check_launch("largest_elements");
  combine_large_elements<<<x.columns, block_threads>>>(partial, blocks, largest, part, elements);
  check_launch("largest_elements");
}

void extremes(ConstView x, double* partial, int blocks, double* extremes) {
  auto* const found = reinterpret_cast<Extremes*>(partial);
  extremes_kernel<<<blocks, block_threads>>>(x, found);
  check_launch("extremes");
  combine_extremes<<<1, block_threads>>>(found, blocks, extremes);
  check_launch("extremes");
}

void shifted_power(double alpha, ConstView x, double shift, double least, Power p, View y) {
  launch(
      y.rows, y.columns,
      [=] __device__(std::int64_t i, int j) {
        y.data[i * y.stride + j] =
            alpha * cisolve::shifted_power(x.data[i * x.stride + j], shift, least, p);
      },
      "shifted_power");
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

void jacobi_update(double omega, ConstView r, ConstView d, double beta, View x) {
  launch(
      x.rows, x.columns,
      [=] __device__(std::int64_t i, int j) {
        double& to = x.data[i * x.stride + j];
        const double from = omega * r.data[i * r.stride + j] / d.data[i * d.stride];
        to = beta == 0.0 ? from : beta * to + from;
      },
      "jacobi_update");
}

void step_residual(const ColumnValues& a, ConstView v, ConstView d, View r, double* partial,
                   int blocks, double* squares) {
  column_sums(
      r,
      [=] __device__(std::int64_t i, int j) {
        double& to = r.data[i * r.stride + j];
        const double value = to + a.values[j] * v.data[i * v.stride + j];
        to = value;
        return value * value / d.data[i * d.stride];
      },
      partial, blocks, squares, "step_residual");
}

void step_along(const ColumnValues& a, const ColumnValues& b, ConstView r, ConstView d, View p,
                View x) {
  launch(
      x.rows, x.columns,
      [=] __device__(std::int64_t i, int j) {
        double& direction = p.data[i * p.stride + j];
        const double before = direction;
        x.data[i * x.stride + j] += a.values[j] * before;
        direction = r.data[i * r.stride + j] / d.data[i * d.stride] + b.values[j] * before;
      },
      "step_along");
}

void column_squares(ConstView x, double* partial, int blocks, double* squares) {
  column_sums(
      x,
      [=] __device__(std::int64_t i, int j) {
        const double value = x.data[i * x.stride + j];
        return value * value;
      },
      partial, blocks, squares, "column_squares");
}

}  // namespace cisolve::cuda
