#include <algorithm>

#include "backends/cuda/warp.cuh"
#include "core/memory.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/csr_symmetric/fixed_point.cuh"
#include "formats/shared/field_rows.cuh"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

// A group of lanes takes a row, as in formats/shared/row_kernels.cuh. The row's own sum is reduced
// by shuffles and added to Y atomically. Every entry above the diagonal is added atomically to the
// row of its column. Sums of doubles depend on the order of these additions; deterministic products
// add integers instead (fixed_point.cuh).

namespace cisolve {
namespace {

using namespace fixed_point;

constexpr int product_threads = 512;  // two sets of vectors in registers: no room for 1024

/// Rows of the upper triangle, with elements of D numbers.
template <int D>
struct UpperRows {
  const Offset* offsets;
  const Index* columns;
  const FieldElement<D>* values;
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

/// Adds factor_j · (AX)_ij to the sums.
template <class S, bool Aligned, class Sums>
__global__ void __launch_bounds__(product_threads)
    add_symmetric_product_kernel(UpperRows<1> a, const double* __restrict__ x,
                                 std::int64_t x_stride, Sums sums) {
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

/// Product over elements of D > 1 numbers; row i has rows D·i to D·i + D − 1 of the sums.
template <class S, class Sums>
__global__ void __launch_bounds__(S::threads)
    add_field_product_kernel(UpperRows<S::components> a, const double* __restrict__ x,
                             std::int64_t x_stride, Sums sums) {
  constexpr int d = S::components, k = S::vectors;
  const auto thread = static_cast<std::int64_t>(blockIdx.x) * S::threads + threadIdx.x;
  const std::int64_t i = thread / S::lanes;
  const int lane = static_cast<int>(thread % S::lanes);
  const bool inside = i < a.count;

  double own[S::width] = {}, sum[S::width] = {};
  if (inside) cuda::load_field_row<S>(x, i, x_stride, own);
#pragma unroll
  for (int n = 0; n < S::width; ++n) own[n] *= sums.factor(n % k);
  const std::int64_t end = inside ? a.offsets[i + 1] : 0;
  for (std::int64_t e = (inside ? a.offsets[i] : 0) + lane; e < end; e += S::lanes) {
    double element[d], from[S::width];
    cuda::load_element<d>(reinterpret_cast<const double*>(a.values + e), 0, element);
    const Index column = __ldcs(a.columns + e);
    cuda::load_field_row<S>(x, column, x_stride, from);
    cuda::add_product<S>(element, from, sum);
    if (column == i) continue;
#pragma unroll
    for (int c = 1; c < d; ++c) element[c] = -element[c];
    double mirrored[S::width] = {};
    cuda::add_product<S>(element, own, mirrored);
#pragma unroll
    for (int n = 0; n < S::width; ++n) {
      sums.add(std::int64_t{column} * d + n / k, n % k, mirrored[n]);
    }
  }
#pragma unroll
  for (int n = 0; n < S::width; ++n) {
#pragma unroll
    for (int step = S::lanes / 2; step > 0; step /= 2) {
      sum[n] += __shfl_xor_sync(full_warp, sum[n], step);
    }
    if (inside && lane == 0) sums.add(i * d + n / k, n % k, sums.factor(n % k) * sum[n]);
  }
}

template <class S, class Sums>
void launch(const UpperRows<1>& a, ConstView x, const Sums& sums) {
  const unsigned blocks = blocks_of(std::int64_t{a.count} * S::lanes, product_threads);
  const bool aligned = cuda::is_aligned(x.data) && x.stride % 2 == 0;
  if (S::width % 2 == 0 && aligned) {
    add_symmetric_product_kernel<S, S::width % 2 == 0>
        <<<blocks, product_threads>>>(a, x.data, x.stride, sums);
  } else {
    add_symmetric_product_kernel<S, false><<<blocks, product_threads>>>(a, x.data, x.stride, sums);
  }
  check_launch("symmetric product");
}

template <int D, int K, int Lanes, class Sums>
void launch_field(const UpperRows<D>& a, ConstView x, const Sums& sums) {
  const auto launch = [&]<class S>() {
    const unsigned blocks = blocks_of(std::int64_t{a.count} * Lanes, S::threads);
    add_field_product_kernel<S><<<blocks, S::threads>>>(a, x.data, x.stride, sums);
    check_launch("Hermitian product");
  };
  if (x.stride == K && cuda::is_aligned(x.data)) {
    launch.template operator()<cuda::FieldShape<D, K, Lanes, true>>();
  } else {
    launch.template operator()<cuda::FieldShape<D, K, Lanes, false>>();
  }
}

/// f(std::integral_constant<int, K>, first vector) for pieces of up to widest_piece numbers.
template <int D, class F>
void for_each_symmetric_piece(int vectors, F&& f) {
  if constexpr (D == 1) {
    for_each_device_piece(vectors, f);
  } else {
    for_each_piece_of<widest_piece / D, 2, 1>(vectors, f);
  }
}

/// Over elements of D real numbers.
template <int D>
class CudaCsrSymmetricOperator final : public StoredOperator {
 public:
  CudaCsrSymmetricOperator(const std::shared_ptr<const CsrMatrix>& a, Backend& backend,
                           bool deterministic)
      : StoredOperator(*a, backend, "csr_symmetric") {
    const auto upper = upper_part(a, "csr_symmetric");
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
    built(CsrMatrix::bytes(upper->rows, upper->nonzeros(), D), 0, layout);
  }

  /// One product at a time where it is deterministic: the sums are the operator's.
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    const bool deterministic = sums_.size() > 0;
    if (!deterministic) scale(beta, y);
    for_each_symmetric_piece<D>(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      static_assert(D * k <= widest_piece);
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
    const UpperRows<D> a{offsets_.data(), column_indices_.data(),
                         reinterpret_cast<const FieldElement<D>*>(values_.data()), rows() / D};
    if constexpr (D > 1) {
      if (mean_length_ > 24) {
        launch_field<D, K, 32>(a, x, sums);
      } else {
        launch_field<D, K, 8>(a, x, sums);
      }
    } else if (mean_length_ > 24) {
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
  return with_components(a->components, [&](auto d) -> std::unique_ptr<LinearOperator> {
    return std::make_unique<CudaCsrSymmetricOperator<d.value>>(a, backend, options.deterministic);
  });
}

}  // namespace cisolve
