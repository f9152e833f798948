#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "formats/shared/field_rows.cuh"

// Rows that are runs of entries, over the complex numbers and quaternions as over the reals. What
// bounds one vector over the quaternions is not bytes: where a lane has whole entries, a warp's
// gather of 32 rows of X, of 32 bytes each, takes the first-level cache 64 cycles, a line each in
// two instructions. Lanes in pairs take half as many.

namespace cisolve::cuda {

inline constexpr int field_run_threads = 128;

/// Layout of a row's lanes for K vectors where `share` lanes have an entry together: each has two
/// components of a row of X, of at most two vectors. One instruction of a warp then gathers fewer
/// and fuller sectors of X; the first-level cache takes a cycle for each line of them. `Paired`:
/// numbers of a lane lie side by side, aligned to 16 bytes: two vectors or, of one vector, the two
/// components.
template <int D_, int K_, int Lanes_, bool Paired_>
struct FieldRunShape {
  static constexpr int components = D_;
  static constexpr int vectors = K_;
  static constexpr int lane_vectors = K_ == 1 ? 1 : 2;
  static constexpr int lane_blocks = K_ / lane_vectors;  ///< of vectors, on neighbouring lanes
  static constexpr int share = D_ / 2 * lane_blocks;
  static constexpr int width = D_ * lane_vectors;    ///< sums of a lane
  static constexpr int lanes = Lanes_;               ///< a row
  static constexpr int entries = Lanes_ / share;     ///< of a row, read side by side
  static constexpr int in_flight = D_ == 4 ? 2 : 4;  ///< entries of a lane
  static constexpr bool paired = Paired_;
  static constexpr int threads = field_run_threads;
  /// Blocks that must find room on a multiprocessor, with 48, 64 and 56 registers a thread.
  static constexpr int blocks = K_ == 1 ? 10 : D_ == 4 ? 8 : 9;
  static_assert(K_ % lane_vectors == 0 && Lanes_ % share == 0);
};

/// Lanes of a long row and of a short one.
template <int D, int K>
inline constexpr int long_row_lanes = (D * K == 2) ? 32 : 16;
inline constexpr int short_row_lanes = 8;

/// Components 2q and 2q + 1 of a row of X, of this lane's vectors; x points to the first of them.
template <class S>
__device__ inline void load_lane_part(const double* x, std::int64_t stride,
                                      double (&to)[2][S::lane_vectors]) {
  if constexpr (S::vectors == 1 && S::paired) {
    double both[2];
    load_row<2, true>(x, both);
    to[0][0] = both[0];
    to[1][0] = both[1];
  } else {
    load_row<S::lane_vectors, S::paired>(x, to[0]);
    load_row<S::lane_vectors, S::paired>(x + stride, to[1]);
  }
}

/// sum(r, j) += ± a_p x_c(j) of components c = 2q and 2q + 1, p = r XOR c. a: of an element the
/// components in order, those of the lower and the upper half exchanged where q is 1.
template <class S>
__device__ inline void add_lane_product(const double (&a)[S::components], int q,
                                        const double (&x)[2][S::lane_vectors],
                                        double (&sum)[S::width]) {
  constexpr int k = S::lane_vectors;
#pragma unroll
  for (int b = 0; b < 2; ++b) {
#pragma unroll
    for (int j = 0; j < k; ++j) {
      const double turned = q == 0 ? x[b][j] : -x[b][j];
#pragma unroll
      for (int r = 0; r < S::components; ++r) {
        const double sign = product_sign(r ^ b, b);
        const bool same = S::components == 2 || sign == product_sign(r ^ b ^ 2, b + 2);
        sum[r * k + j] += sign * a[r ^ b] * (same ? x[b][j] : turned);
      }
    }
  }
}

/// sum += Σ_e values[e] · x(columns[e]) over this lane's part of entries begin … end − 1. Those in
/// flight are all loaded before the first is used.
template <class S, std::size_t D>
__device__ inline void add_entries(const std::array<double, D>* values, const Index* columns,
                                   std::int64_t begin, std::int64_t end, int lane, const double* x,
                                   std::int64_t stride, double (&sum)[S::width]) {
  constexpr int d = static_cast<int>(D), batch = S::in_flight * S::entries;
  const int q = lane % S::share / S::lane_blocks;
  x += 2 * q * stride + lane % S::lane_blocks * S::lane_vectors;
  for (std::int64_t e = begin + lane / S::share; e < end; e += batch) {
    double value[S::in_flight][d];
    Index column[S::in_flight];
#pragma unroll
    for (int u = 0; u < S::in_flight; ++u) {
      const std::int64_t at = e + u * S::entries;
      const bool inside = at < end;
      column[u] = inside ? __ldcs(columns + at) : 0;
      if (inside) load_element<d>(reinterpret_cast<const double*>(values + at), 2 * q, value[u]);
    }
#pragma unroll
    for (int u = 0; u < S::in_flight; ++u) {
      if (e + u * S::entries >= end) continue;
      double from[2][S::lane_vectors];
      load_lane_part<S>(x + column[u] * std::int64_t{d} * stride, stride, from);
      add_lane_product<S>(value[u], q, from, sum);
    }
  }
}

/// Lanes a row for pieces of K vectors: as many as wanted, or as rows of that length on average
/// need.
template <int D, int K>
int field_row_lanes(const KernelSettings& wanted, double mean_length) {
  const bool is_long =
      wanted.threads_per_row > 0 ? wanted.threads_per_row > short_row_lanes : mean_length > 24;
  return is_long ? long_row_lanes<D, K> : short_row_lanes;
}

/// f(std::integral_constant<int, K>, first vector) for the pieces of rows that are runs of entries.
template <class F>
void for_each_field_piece(int vectors, F&& f) {
  for_each_piece_of<4, 2, 1>(vectors, f);
}

/// Kernel that `wanted` becomes for rows that are runs of entries, of elements of D numbers: the
/// one of the widest piece.
template <int D>
KernelSettings effective_row_runs_kernel(const KernelSettings& wanted, double mean_length,
                                         int vectors) {
  if constexpr (D == 1) {
    return effective_row_kernel(wanted, mean_length, vectors);
  } else {
    KernelSettings widest;
    widest.block_threads = threads_of_block(wanted, field_run_threads);
    for_each_field_piece(vectors, [&](auto piece, int first) {
      if (first > 0) return;
      widest.threads_per_row = field_row_lanes<D, decltype(piece)::value>(wanted, mean_length);
    });
    return widest;
  }
}

/// Y := αAX + βY for rows that are runs of entries of D numbers.
template <int D, class Rows>
void multiply_field_runs(const StoredOperator& a, const Rows& rows, double mean_length,
                         double alpha, ConstView x, double beta, View y) {
  for_each_field_piece(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value;
    const ConstView from = x.slice(first, k);
    const View to = y.slice(first, k);
    const auto launch = [&]<int lanes>() {
      const bool paired = k > 1 ? from.stride % 2 == 0 : from.stride == 1;
      if (paired && is_aligned(from.data)) {
        launch_field_rows<FieldRunShape<D, k, lanes, true>>(a, rows, alpha, from, beta, to);
      } else {
        launch_field_rows<FieldRunShape<D, k, lanes, false>>(a, rows, alpha, from, beta, to);
      }
    };
    if (field_row_lanes<D, k>(a.kernel(), mean_length) == short_row_lanes) {
      launch.template operator()<short_row_lanes>();
    } else {
      launch.template operator()<long_row_lanes<D, k>>();
    }
  });
}

/// Y := αAX + βY for rows that are runs of entries, of any `Value`, by the operator's kernel.
template <class Value, class Rows>
void multiply_row_runs(const StoredOperator& a, const Rows& rows, double mean_length, double alpha,
                       ConstView x, double beta, View y) {
  constexpr int d = components_of<Value>;
  if constexpr (d == 1) {
    multiply_rows(a, rows, mean_length, alpha, x, beta, y);
  } else {
    multiply_field_runs<d>(a, rows, mean_length, alpha, x, beta, y);
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

}  // namespace cisolve::cuda
