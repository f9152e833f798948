#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "backends/view.hpp"
#include "core/dense/field.hpp"
#include "formats/matrix/elements.hpp"
#include "formats/shared/row_kernels.cuh"

// Products of matrices over the complex numbers (D = 2) and quaternions (D = 4) with vectors over
// them: a group of lanes or a lane a row, as for real ones. An entry costs 4 + 8D bytes of matrix,
// streamed past the caches, and a gather of D·K doubles for 2D²K flops. Element j of row i of X has
// component c at x[(i·D + c)·stride + j].
//
// A format's device view serves real matrices and these: `FieldElement<D>` in the place of a real
// `Value` selects the functions here beside those of the same name in row_kernels.cuh.

namespace cisolve::cuda {

/// True if 16 bytes can be read there at once.
inline bool is_aligned(const double* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

/// Components first, first + 1 … of an element, modulo D, which are read once; `first` is even.
template <int D>
__device__ inline void load_element(const double* from, int first, double (&to)[D]) {
#pragma unroll
  for (int c = 0; c < D; c += 2) {
    const double2 pair = __ldcs(reinterpret_cast<const double2*>(from + (c ^ first)));
    to[c] = pair.x;
    to[c + 1] = pair.y;
  }
}

/// Layout of a row's lanes for K vectors over elements of D real numbers, where a lane has whole
/// entries. `Contiguous`: rows of X lie one behind another, aligned to 16 bytes.
template <int D_, int K_, int Lanes_, bool Contiguous_>
struct FieldShape {
  static constexpr int components = D_;
  static constexpr int vectors = K_;
  static constexpr int lane_vectors = K_;
  static constexpr int lane_blocks = 1;
  static constexpr int width = D_ * K_;  ///< numbers of a row of X
  static constexpr int lanes = Lanes_;
  static constexpr bool contiguous = Contiguous_;
  static constexpr int threads = Lanes_ == 1 ? lane_a_row_threads : 512;  ///< a block, at most
  static constexpr int blocks = 1;
};

/// Sign of a_p x_c in component p XOR c of a product.
__host__ __device__ constexpr double product_sign(int p, int c) {
  constexpr double sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
  return sign[p][c];
}

/// sum(r, j) += Σ ± a_p x_c(j), p = r XOR c, of one entry.
template <class S>
__device__ inline void add_product(const double (&a)[S::components], const double (&x)[S::width],
                                   double (&sum)[S::width]) {
  constexpr int d = S::components, k = S::vectors;
#pragma unroll
  for (int r = 0; r < d; ++r) {
#pragma unroll
    for (int c = 0; c < d; ++c) {
      const double factor = product_sign(r ^ c, c) * a[r ^ c];
#pragma unroll
      for (int j = 0; j < k; ++j) sum[r * k + j] += factor * x[c * k + j];
    }
  }
}

/// The numbers of row `column` of X; contiguous blocks in 16-byte loads.
template <class S>
__device__ inline void load_field_row(const double* x, std::int64_t column, std::int64_t stride,
                                      double (&to)[S::width]) {
  if constexpr (S::contiguous) {
    load_row<S::width, true>(x + column * S::width, to);
  } else {
#pragma unroll
    for (int c = 0; c < S::components; ++c) {
#pragma unroll
      for (int j = 0; j < S::vectors; ++j) {
        to[c * S::vectors + j] = __ldg(x + (column * S::components + c) * stride + j);
      }
    }
  }
}

/// sum += value · x(column) of one entry.
template <class S, std::size_t D>
__device__ inline void add_entry(const std::array<double, D>* value, const Index* column,
                                 const double* x, std::int64_t stride, double (&sum)[S::width]) {
  double element[D], from[S::width];
  load_element<D>(reinterpret_cast<const double*>(value), 0, element);
  load_field_row<S>(x, __ldcs(column), stride, from);
  add_product<S>(element, from, sum);
}

/// Y := αAX + βY; `count`: rows over elements. `Rows` is the format's device view, as
/// multiply_rows_kernel takes it.
template <class S, class Rows>
__global__ void __launch_bounds__(S::threads, S::blocks)
    multiply_field_rows_kernel(Rows rows, Index count, double alpha, const double* __restrict__ x,
                               std::int64_t x_stride, double beta, double* __restrict__ y,
                               std::int64_t y_stride) {
  constexpr int d = S::components, k = S::lane_vectors;
  const int lane = static_cast<int>(threadIdx.x % S::lanes);
  const std::int64_t i =
      blockIdx.x * static_cast<std::int64_t>(blockDim.x / S::lanes) + threadIdx.x / S::lanes;
  double sum[S::width] = {};
  if (i < count) rows.template add<S>(i, lane, x, x_stride, sum);
#pragma unroll
  for (int n = 0; n < S::width; ++n) {
#pragma unroll
    for (int step = S::lanes / 2; step >= S::lane_blocks; step /= 2) {
      sum[n] += __shfl_xor_sync(0xffffffffu, sum[n], step);
    }
  }
  if (i >= count || lane >= S::lane_blocks) return;
  double* const to_row = y + output_row(rows, i) * d * y_stride + lane * k;
#pragma unroll
  for (int c = 0; c < d; ++c) {
#pragma unroll
    for (int j = 0; j < k; ++j) {
      double& to = to_row[c * y_stride + j];
      to = alpha * sum[c * k + j] + (beta == 0.0 ? 0.0 : beta * to);
    }
  }
}

template <class S, class Rows>
void launch_field_rows(const StoredOperator& a, const Rows& rows, double alpha, ConstView x,
                       double beta, View y) {
  const Index count = y.rows / S::components;
  if (count == 0) return;
  const int threads = threads_of_block(a.kernel(), S::threads);
  const auto blocks = static_cast<unsigned>((count - 1) / (threads / S::lanes) + 1);
  multiply_field_rows_kernel<S>
      <<<blocks, threads>>>(rows, count, alpha, x.data, x.stride, beta, y.data, y.stride);
  check_launch("sparse product over elements of several numbers");
}

/// Y := αAX + βY with a lane a row, in pieces of at most 8 / D vectors.
template <int D, class Rows>
void multiply_field_lanes(const StoredOperator& a, const Rows& rows, double alpha, ConstView x,
                          double beta, View y) {
  for_each_piece_of<8 / D, 2, 1>(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value;
    const ConstView from = x.slice(first, k);
    const View to = y.slice(first, k);
    if (from.stride == k && is_aligned(from.data)) {
      launch_field_rows<FieldShape<D, k, 1, true>>(a, rows, alpha, from, beta, to);
    } else {
      launch_field_rows<FieldShape<D, k, 1, false>>(a, rows, alpha, from, beta, to);
    }
  });
}

/// Y := αAX + βY where entry e of many rows lies together, of any `Value`: a lane a row.
template <class Value, class Rows>
void multiply_lanes(const StoredOperator& a, const Rows& rows, double alpha, ConstView x,
                    double beta, View y) {
  constexpr int d = components_of<Value>;
  if constexpr (d == 1) {
    multiply_lane_a_row<1>(a, rows, alpha, x, beta, y);
  } else {
    multiply_field_lanes<d>(a, rows, alpha, x, beta, y);
  }
}

}  // namespace cisolve::cuda
