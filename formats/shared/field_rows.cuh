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

/// Layout of a row's lanes for K vectors over elements of D real numbers. `Contiguous`: rows of X
/// lie one behind another, aligned to 16 bytes.
template <int D_, int K_, int Lanes_, int InFlight_, bool Contiguous_>
struct FieldShape {
  static constexpr int components = D_;
  static constexpr int vectors = K_;
  static constexpr int width = D_ * K_;  ///< numbers of a row of X
  static constexpr int lanes = Lanes_;
  static constexpr int entries = Lanes_;  ///< of a row, read side by side
  static constexpr int in_flight = InFlight_;
  static constexpr bool contiguous = Contiguous_;
  static constexpr int threads = Lanes_ == 1 ? lane_a_row_threads : 512;  ///< a block, at most
};

/// sum(r, j) += Σ ± a_p x_c(j), p = r XOR c, of one entry.
template <class S>
__device__ inline void add_product(const double (&a)[S::components], const double (&x)[S::width],
                                   double (&sum)[S::width]) {
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
  load_element<D>(reinterpret_cast<const double*>(value), element);
  load_field_row<S>(x, __ldcs(column), stride, from);
  add_product<S>(element, from, sum);
}

/// sum += Σ_e values[e] · x(columns[e]) over this lane's entries among begin … end − 1. Those in
/// flight are all loaded before the first is used.
template <class S, std::size_t D>
__device__ inline void add_entries(const std::array<double, D>* values, const Index* columns,
                                   std::int64_t begin, std::int64_t end, int lane, const double* x,
                                   std::int64_t stride, double (&sum)[S::width]) {
  constexpr int batch = S::in_flight * S::lanes;
  for (std::int64_t e = begin + lane; e < end; e += batch) {
    double value[S::in_flight][D];
    Index column[S::in_flight];
#pragma unroll
    for (int u = 0; u < S::in_flight; ++u) {
      const std::int64_t at = e + u * S::lanes;
      const bool inside = at < end;
      column[u] = inside ? __ldcs(columns + at) : 0;
      if (inside) load_element<D>(reinterpret_cast<const double*>(values + at), value[u]);
    }
#pragma unroll
    for (int u = 0; u < S::in_flight; ++u) {
      if (e + u * S::lanes >= end) continue;
      double from[S::width];
      load_field_row<S>(x, column[u], stride, from);
      add_product<S>(value[u], from, sum);
    }
  }
}

/// Y := αAX + βY; `count`: rows over elements. `Rows` is the format's device view, as
/// multiply_rows_kernel takes it.
template <class S, class Rows>
__global__ void __launch_bounds__(S::threads)
    multiply_field_rows_kernel(Rows rows, Index count, double alpha, const double* __restrict__ x,
                               std::int64_t x_stride, double beta, double* __restrict__ y,
                               std::int64_t y_stride) {
  constexpr int d = S::components, k = S::vectors;
  const int lane = static_cast<int>(threadIdx.x % S::lanes);
  const std::int64_t i =
      blockIdx.x * static_cast<std::int64_t>(blockDim.x / S::lanes) + threadIdx.x / S::lanes;
  double sum[S::width] = {};
  if (i < count) rows.template add<S>(i, lane, x, x_stride, sum);
#pragma unroll
  for (int n = 0; n < S::width; ++n) {
#pragma unroll
    for (int step = S::lanes / 2; step > 0; step /= 2) {
      sum[n] += __shfl_xor_sync(0xffffffffu, sum[n], step);
    }
  }
  if (i >= count || lane != 0) return;
  double* const to_row = y + output_row(rows, i) * d * y_stride;
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

/// Y := αAX + βY with so many lanes a row, in pieces of at most 8 / D vectors.
template <int D, int Lanes, class Rows>
void multiply_field_pieces(const StoredOperator& a, const Rows& rows, double alpha, ConstView x,
                           double beta, View y) {
  for_each_piece_of<8 / D, 2, 1>(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value, in_flight = D * k > 4 ? 2 : 4;
    const ConstView from = x.slice(first, k);
    const View to = y.slice(first, k);
    if (from.stride == k && reinterpret_cast<std::uintptr_t>(from.data) % 16 == 0) {
      launch_field_rows<FieldShape<D, k, Lanes, in_flight, true>>(a, rows, alpha, from, beta, to);
    } else {
      launch_field_rows<FieldShape<D, k, Lanes, in_flight, false>>(a, rows, alpha, from, beta, to);
    }
  });
}

/// Kernel that `wanted` becomes for rows that are runs of entries, of elements of D numbers: of
/// several 8
/// or 32 lanes have a row, as of one where that is left open.
template <int D>
KernelSettings effective_row_runs_kernel(const KernelSettings& wanted, double mean_length,
                                         int vectors) {
  if constexpr (D == 1) {
    return effective_row_kernel(wanted, mean_length, vectors);
  } else {
    const int chosen = mean_length > 24 ? 32 : 8;
    const int lanes = wanted.threads_per_row > 0 ? wanted.threads_per_row : chosen;
    return {.threads_per_row = lanes > 8 ? 32 : 8, .block_threads = threads_of_block(wanted, 512)};
  }
}

/// Y := αAX + βY for rows that are runs of entries, of any `Value`, by the operator's kernel.
template <class Value, class Rows>
void multiply_row_runs(const StoredOperator& a, const Rows& rows, double mean_length, double alpha,
                       ConstView x, double beta, View y) {
  constexpr int d = components_of<Value>;
  if constexpr (d == 1) {
    multiply_rows(a, rows, mean_length, alpha, x, beta, y);
  } else if (effective_row_runs_kernel<d>(a.kernel(), mean_length, x.columns).threads_per_row ==
             8) {
    multiply_field_pieces<d, 8>(a, rows, alpha, x, beta, y);
  } else {
    multiply_field_pieces<d, 32>(a, rows, alpha, x, beta, y);
  }
}

/// The operator of a format whose rows are runs of entries. `Value` is double, float or
/// FieldElement<D>.
template <class Value>
class RowRunsOperator : public StoredOperator {
 public:
  RowRunsOperator(const CsrMatrix& a, Backend& backend, std::string format)
      : StoredOperator(a, backend, std::move(format)), mean_length_(row_statistics(a).mean) {}
  std::span<const KernelSettings> kernels() const override { return row_kernels; }
  KernelSettings effective_kernel(const KernelSettings& wanted, int vectors) const override {
    return effective_row_runs_kernel<components_of<Value>>(wanted, mean_length_, vectors);
  }

 protected:
  /// Y := αAX + βY of the format's device view.
  template <class Rows>
  void multiply(const Rows& rows, double alpha, ConstView x, double beta, View y) const {
    multiply_row_runs<Value>(*this, rows, mean_length_, alpha, x, beta, y);
  }

 private:
  double mean_length_;
};

/// Y := αAX + βY where entry e of many rows lies together, of any `Value`: a lane a row.
template <class Value, class Rows>
void multiply_lanes(const StoredOperator& a, const Rows& rows, double alpha, ConstView x,
                    double beta, View y) {
  constexpr int d = components_of<Value>;
  if constexpr (d == 1) {
    multiply_lane_a_row<1>(a, rows, alpha, x, beta, y);
  } else {
    multiply_field_pieces<d, 1>(a, rows, alpha, x, beta, y);
  }
}

}  // namespace cisolve::cuda
