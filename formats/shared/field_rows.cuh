#pragma once

#include <cstdint>

#include "backends/view.hpp"
#include "core/field.hpp"
#include "formats/shared/row_kernels.cuh"

// Products of matrices over the complex numbers (D = 2) and quaternions (D = 4) with vectors over
// them: a group of lanes a row, as for real ones. An entry costs 4 + 8D bytes of matrix, streamed
// past the caches, and a gather of D·K doubles for 2D²K flops. Element j of row i of X has
// component c at x[(i·D + c)·stride + j].

namespace cisolve::cuda {

/// D neighbouring doubles that are read once.
template <int D>
__device__ inline void load_element(const double* from, double (&to)[D]) {
#pragma unroll
  for (int c = 0; c < D; c += 2) {
    const double2 pair = __ldcs(reinterpret_cast<const double2*>(from + c));
    to[c] = pair.x;
    to[c + 1] = pair.y;
  }
}

/// How a row's lanes are laid out for K vectors over elements of D real numbers.
template <int D_, int K_, int Lanes_, int InFlight_>
struct FieldShape {
  static constexpr int components = D_;
  static constexpr int vectors = K_;
  static constexpr int numbers = D_ * K_;  ///< of a row of X
  static constexpr int lanes = Lanes_;
  static constexpr int in_flight = InFlight_;
  static constexpr int threads = 512;
};

/// sum(r, j) += Σ ± a_p x_c(j), p = r XOR c, of one entry.
template <class S>
__device__ inline void add_product(const double (&a)[S::components], const double (&x)[S::numbers],
                                   double (&sum)[S::numbers]) {
  constexpr int d = S::components, k = S::vectors;
#pragma unroll
  for (int r = 0; r < d; ++r) {
#pragma unroll
    for (int c = 0; c < d; ++c) {
      constexpr double sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
      const double factor = sign[r ^ c][c] * a[r ^ c];
#pragma unroll
      for (int j = 0; j < k; ++j) sum[r * k + j] += factor * x[c * k + j];
    }
  }
}

/// The numbers of row `column` of X; contiguous blocks in 16-byte loads.
template <class S, bool Contiguous>
__device__ inline void load_field_row(const double* x, std::int64_t column, std::int64_t stride,
                                      double (&to)[S::numbers]) {
  if constexpr (Contiguous) {
    load_row<S::numbers, true>(x + column * S::numbers, to);
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

/// Y := αAX + βY; `count`: rows over elements. Entries of a lane are all loaded before the first is
/// used.
template <class S, bool Contiguous>
__global__ void __launch_bounds__(S::threads)
    multiply_field_rows_kernel(const Offset* __restrict__ offsets,
                               const Index* __restrict__ columns, const double* __restrict__ values,
                               Index count, double alpha, const double* __restrict__ x,
                               std::int64_t x_stride, double beta, double* __restrict__ y,
                               std::int64_t y_stride) {
  constexpr int d = S::components, k = S::vectors, batch = S::in_flight * S::lanes;
  const int lane = static_cast<int>(threadIdx.x % S::lanes);
  const std::int64_t i =
      blockIdx.x * static_cast<std::int64_t>(S::threads / S::lanes) + threadIdx.x / S::lanes;
  double sum[S::numbers] = {};
  if (i < count) {
    const std::int64_t end = offsets[i + 1];
    for (std::int64_t e = offsets[i] + lane; e < end; e += batch) {
      double value[S::in_flight][d];
      Index column[S::in_flight];
#pragma unroll
      for (int u = 0; u < S::in_flight; ++u) {
        const std::int64_t at = e + u * S::lanes;
        const bool inside = at < end;
        column[u] = inside ? __ldcs(columns + at) : 0;
        if (inside) load_element<d>(values + at * d, value[u]);
      }
#pragma unroll
      for (int u = 0; u < S::in_flight; ++u) {
        if (e + u * S::lanes >= end) continue;
        double from[S::numbers];
        load_field_row<S, Contiguous>(x, column[u], x_stride, from);
        add_product<S>(value[u], from, sum);
      }
    }
  }
#pragma unroll
  for (int n = 0; n < S::numbers; ++n) {
#pragma unroll
    for (int step = S::lanes / 2; step > 0; step /= 2) {
      sum[n] += __shfl_xor_sync(0xffffffffu, sum[n], step);
    }
  }
  if (i >= count || lane != 0) return;
#pragma unroll
  for (int c = 0; c < d; ++c) {
#pragma unroll
    for (int j = 0; j < k; ++j) {
      double& to = y[(i * d + c) * y_stride + j];
      to = alpha * sum[c * k + j] + (beta == 0.0 ? 0.0 : beta * to);
    }
  }
}

/// Rows in CSR on the device.
struct FieldCsrRows {
  const Offset* offsets;
  const Index* columns;
  const double* values;
  Index count;  ///< rows over elements
};

template <class S>
void launch_field_rows(const FieldCsrRows& a, double alpha, ConstView x, double beta, View y) {
  if (a.count == 0) return;
  const std::int64_t rows_at_once = S::threads / S::lanes;
  const auto blocks = static_cast<unsigned>((a.count - 1) / rows_at_once + 1);
  const bool contiguous =
      x.stride == S::vectors && reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  const auto kernel =
      contiguous ? multiply_field_rows_kernel<S, true> : multiply_field_rows_kernel<S, false>;
  kernel<<<blocks, S::threads>>>(a.offsets, a.columns, a.values, a.count, alpha, x.data, x.stride,
                                 beta, y.data, y.stride);
  check_launch("sparse product over elements of several numbers");
}

/// Y := αAX + βY for D components, in pieces of at most 8 / D vectors. Rows shorter than a warp on
/// average get a quarter of one.
template <int D>
void multiply_field_rows(const FieldCsrRows& a, double mean_length, double alpha, ConstView x,
                         double beta, View y) {
  const auto piece = [&]<int K>(std::integral_constant<int, K>, int first) {
    constexpr int in_flight = D * K > 4 ? 2 : 4;
    const ConstView from = x.slice(first, K);
    const View to = y.slice(first, K);
    if (mean_length > 24) {
      launch_field_rows<FieldShape<D, K, 32, in_flight>>(a, alpha, from, beta, to);
    } else {
      launch_field_rows<FieldShape<D, K, 8, in_flight>>(a, alpha, from, beta, to);
    }
  };
  int first = 0;
  if constexpr (D == 2) {
    for (; x.columns - first >= 4; first += 4) piece(std::integral_constant<int, 4>(), first);
  }
  for (; x.columns - first >= 2; first += 2) piece(std::integral_constant<int, 2>(), first);
  if (first < x.columns) piece(std::integral_constant<int, 1>(), first);
}

}  // namespace cisolve::cuda
