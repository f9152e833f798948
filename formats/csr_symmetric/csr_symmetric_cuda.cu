#include <algorithm>

#include "backends/cuda/warp.cuh"
#include "core/memory.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

// A group of lanes a row, as in formats/shared/row_kernels.cuh; a row's own sum is reduced by
// shuffles and then added to Y atomically, as every entry above the diagonal is to the row of its
// column. In doubles such sums depend on the order of the additions. Deterministic products add
// integers instead, whose sum does not: with B = max_i Σ_j |a_ij| and, for each vector, M = max_j
// |x_j|,
//
//   q = 2^(e − 62),  2^(e − 1) ≤ BM < 2^e,   so that |y_i| ≤ BM < 2^62 q.
//
// Every product above the diagonal, and every row's own sum, is rounded to a multiple of q and
// added as a 64-bit integer; y_i = α q · sum + β y_i. The rounding costs q/2 ≤ 2^-62 BM for each of
// the m entries of column i above the diagonal and once for the row:
//
//   |error of y_i| ≤ |α| (m + 1) 2^-62 BM   beside that of the products and of the row's own sum.
//
// Scaling by q is exact. Where B or M is not finite, or BM is beyond double precision, Y becomes
// NaN.

namespace cisolve {
namespace {

constexpr int widest_piece = 8;
constexpr int product_threads = 512;  // two sets of vectors in registers: no room for 1024

using Sum = unsigned long long;  // two's complement: what atomicAdd takes

struct UpperRows {
  const Offset* offsets;
  const Index* columns;
  const double* values;
  Index count;
};

/// Adds to Y itself.
struct FloatSums {
  double alpha;
  double* y;
  std::int64_t stride;

  __device__ double factor(int) const { return alpha; }
  __device__ void add(std::int64_t row, int j, double value) const {
    atomicAdd(y + row * stride + j, value);
  }
};

/// 1/q and q of one vector; NaN where there are none.
struct FixedPoint {
  double scale, quantum;
};

/// Adds to integers, rows × k.
struct FixedSums {
  const FixedPoint* fixed_points;
  Sum* sums;
  int columns;

  __device__ double factor(int j) const { return fixed_points[j].scale; }
  __device__ void add(std::int64_t row, int j, double value) const {
    atomicAdd(sums + row * columns + j, static_cast<Sum>(__double2ll_rn(value)));
  }
};

/// Adds factor_j · (AX)_ij to the sums.
template <class S, bool Aligned, class Sums>
__global__ void __launch_bounds__(product_threads)
    add_symmetric_product_kernel(UpperRows a, const double* __restrict__ x, std::int64_t x_stride,
                                 Sums sums) {
  constexpr int in_flight = S::in_flight;
  const auto thread = static_cast<std::int64_t>(blockIdx.x) * product_threads + threadIdx.x;
  const std::int64_t i = thread / S::lanes;
  const int lane = static_cast<int>(thread % S::lanes);
  const int first_vector = lane % S::share * S::width;
  const bool inside = i < a.count;
  x += first_vector;

  double factor[S::width], own[S::width] = {}, sum[S::width] = {};
#pragma unroll
  for (int j = 0; j < S::width; ++j) factor[j] = sums.factor(first_vector + j);
  if (inside) cuda::load_row<S::width, Aligned>(x + i * x_stride, own);
#pragma unroll
  for (int j = 0; j < S::width; ++j) own[j] *= factor[j];

  const std::int64_t end = inside ? a.offsets[i + 1] : 0;
  for (std::int64_t first = (inside ? a.offsets[i] : 0) + lane / S::share; first < end;
       first += in_flight * S::entries) {
    double value[in_flight];
    Index column[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      // Past the end the last entry is read again and counts as zero.
      const std::int64_t e = first + u * S::entries;
      const std::int64_t there = e < end ? e : end - 1;
      value[u] = e < end ? __ldcs(a.values + there) : 0.0;
      column[u] = __ldcs(a.columns + there);
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      double from[S::width];
      cuda::load_row<S::width, Aligned>(x + column[u] * x_stride, from);
      const bool mirrored = first + u * S::entries < end && column[u] != i;
#pragma unroll
      for (int j = 0; j < S::width; ++j) {
        sum[j] += value[u] * from[j];
        if (mirrored) sums.add(column[u], first_vector + j, value[u] * own[j]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < S::width; ++j) {
#pragma unroll
    for (int step = S::lanes / 2; step >= S::share; step /= 2) {
      sum[j] += __shfl_xor_sync(full_warp, sum[j], step);
    }
    if (inside && lane < S::share) sums.add(i, first_vector + j, factor[j] * sum[j]);
  }
}

/// largest_j := max(largest_j, bits of max_i |x_ij|). As integers the bits are ordered as the
/// numbers are, infinity and NaN above all of them.
template <int K>
__global__ void __launch_bounds__(block_threads)
    largest_elements_kernel(const double* __restrict__ x, std::int64_t stride, Index rows,
                            Sum* largest) {
  Sum own[K] = {};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
       i < rows; i += step) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const auto bits = static_cast<Sum>(__double_as_longlong(fabs(x[i * stride + j])));
      own[j] = max(own[j], bits);
    }
  }
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int other = 16; other > 0; other /= 2) {
      own[j] = max(own[j], __shfl_xor_sync(full_warp, own[j], other));
    }
    if (threadIdx.x % 32 == 0) atomicMax(largest + j, own[j]);
  }
}

/// A thread for each vector.
__global__ void fixed_points_kernel(double largest_row_sum, const Sum* largest,
                                    FixedPoint* fixed_points) {
  const int j = static_cast<int>(threadIdx.x);
  const double m = __longlong_as_double(static_cast<long long>(largest[j]));
  int b_exponent = 0, m_exponent = 0, exponent = 0;
  frexp(largest_row_sum, &b_exponent);
  frexp(m, &m_exponent);
  // Significands apart, so that the product of the two neither overflows nor underflows.
  frexp(ldexp(largest_row_sum, -b_exponent) * ldexp(m, -m_exponent), &exponent);
  exponent += b_exponent + m_exponent;
  const bool representable = isfinite(largest_row_sum) && isfinite(m) && exponent <= 1023;
  // Neither the scale nor x at that scale may overflow: where BM or B is that small, q is larger,
  // 2^-1022 or at most 2^-1021 M.
  const int shift = min(62 - exponent, min(1022, 1022 - m_exponent));
  fixed_points[j] = representable ? FixedPoint{ldexp(1.0, shift), ldexp(1.0, -shift)}
                                  : FixedPoint{nan(""), nan("")};
}

/// Y := α q · sums + βY.
template <int K>
__global__ void __launch_bounds__(block_threads)
    finish_kernel(const Sum* __restrict__ sums, const FixedPoint* __restrict__ fixed_points,
                  double alpha, double beta, double* __restrict__ y, std::int64_t stride,
                  Index rows) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (e >= static_cast<std::int64_t>(rows) * K) return;
  const std::int64_t i = e / K;
  const int j = static_cast<int>(e % K);
  double& to = y[i * stride + j];
  const double product =
      fixed_points[j].quantum * static_cast<double>(static_cast<long long>(sums[e]));
  to = alpha * product + (beta == 0.0 ? 0.0 : beta * to);
}

unsigned blocks_of(std::int64_t threads) {
  return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

template <class S, class Sums>
void launch(const UpperRows& a, ConstView x, const Sums& sums) {
  const auto blocks = static_cast<unsigned>(
      (static_cast<std::int64_t>(a.count) * S::lanes + product_threads - 1) / product_threads);
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.stride % 2 == 0;
  if (S::width % 2 == 0 && aligned) {
    add_symmetric_product_kernel<S, S::width % 2 == 0>
        <<<blocks, product_threads>>>(a, x.data, x.stride, sums);
  } else {
    add_symmetric_product_kernel<S, false><<<blocks, product_threads>>>(a, x.data, x.stride, sums);
  }
  check_launch("symmetric product");
}

class CudaCsrSymmetricOperator final : public StoredOperator {
 public:
  CudaCsrSymmetricOperator(const std::shared_ptr<const CsrMatrix>& a, Backend& backend,
                           bool deterministic)
      : StoredOperator(*a, backend, "csr_symmetric") {
    const auto upper = upper_part(a);
    offsets_ = Buffer<Offset>::from_host(backend, upper->row_offsets);
    column_indices_ = Buffer<Index>::from_host(backend, upper->column_indices);
    values_ = Buffer<double>::from_host(backend, upper->values);
    mean_length_ = row_statistics(*upper).mean;
    std::string layout = "atomic sums";
    if (deterministic) {
      largest_row_sum_ = largest_row_sum(*upper);
      sums_ = Buffer<Sum>(backend, static_cast<std::size_t>(upper->rows) * widest_piece);
      largest_ = Buffer<Sum>(backend, widest_piece);
      fixed_points_ = Buffer<FixedPoint>(backend, widest_piece);
      layout = "deterministic sums, scratch " + format_bytes(sums_.size() * sizeof(Sum));
    }
    built(CsrMatrix::bytes(upper->rows, upper->nonzeros()), 0, layout);
  }

  /// One product at a time where it is deterministic: the sums are the operator's.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    const bool deterministic = sums_.size() > 0;
    if (!deterministic) scale(beta, y);
    for_each_device_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      static_assert(k <= widest_piece);
      const ConstView from = x.slice(first, k);
      const View to = y.slice(first, k);
      if (deterministic) {
        multiply_fixed<k>(alpha, from, beta, to);
      } else {
        add_product<k>(from, FloatSums{alpha, to.data, to.stride});
      }
    });
  }

 private:
  template <int K, class Sums>
  void add_product(ConstView x, const Sums& sums) const {
    const UpperRows a{offsets_.data(), column_indices_.data(), values_.data(), rows()};
    if (mean_length_ > 24) {
      launch<cuda::LongRows<K>>(a, x, sums);
    } else {
      launch<cuda::WithLanes<K, 8>>(a, x, sums);
    }
  }

  template <int K>
  void multiply_fixed(double alpha, ConstView x, double beta, View y) const {
    const std::int64_t elements = static_cast<std::int64_t>(y.rows) * K;
    check_cuda(cudaMemsetAsync(sums_.data(), 0, elements * sizeof(Sum)), "clearing sums");
    check_cuda(cudaMemsetAsync(largest_.data(), 0, K * sizeof(Sum)), "clearing a maximum");
    const unsigned blocks = std::min(blocks_of(y.rows), 1024u);
    largest_elements_kernel<K>
        <<<blocks, block_threads>>>(x.data, x.stride, y.rows, largest_.data());
    fixed_points_kernel<<<1, K>>>(largest_row_sum_, largest_.data(), fixed_points_.data());
    check_launch("largest elements");
    add_product<K>(x, FixedSums{fixed_points_.data(), sums_.data(), K});
    finish_kernel<K><<<blocks_of(elements), block_threads>>>(sums_.data(), fixed_points_.data(),
                                                             alpha, beta, y.data, y.stride, y.rows);
    check_launch("fixed point to floating point");
  }

  Buffer<Offset> offsets_;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
  double mean_length_ = 0.0;
  double largest_row_sum_ = 0.0;
  mutable Buffer<Sum> sums_, largest_;  ///< empty unless deterministic
  mutable Buffer<FixedPoint> fixed_points_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csr_symmetric_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions& options) {
  return std::make_unique<CudaCsrSymmetricOperator>(a, backend, options.deterministic);
}

}  // namespace cisolve
