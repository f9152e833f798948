#include <memory>

#include "backends/cuda/check.hpp"
#include "core/timer.hpp"
#include "formats/csr_symmetric/csr_symmetric.hpp"
#include "formats/matrix/host_rows.hpp"
#include "formats/packed/device_groups.cuh"
#include "formats/packed/packed_on_device.hpp"
#include "formats/packed_symmetric/packed_symmetric.hpp"
#include "formats/packed_symmetric/upper_rows.cuh"
#include "formats/shared/row_kernels.cuh"
#include "spmv/block_width.hpp"
#include "spmv/forwarding_operator.hpp"

// Y := αUX + βY is packed's product with the triangle U. A second kernel reads U again and adds
// αa_ij x_i to y_j for every entry above the diagonal, atomically: a warp a slice, a lane a row, as
// in packed/slices.cuh, the dictionary in the first-level cache.
//
// Predicted for a list of 2.7e7 determinants with 2.0e10 nonzeros, one vector, on an H200: 5.5
// bytes an entry of U, read twice, are 26 ms at 4.2 TB/s. Vectors of 214 MB are four times the
// second cache. A gather moves a sector of 32 bytes, which is 76 ms for 1.0e10, and an addition
// moves one there and back, 150 ms. In all 0.25 s, where packed would take 0.18 s with twice the
// memory. A matrix whose vectors lie in the second cache is bound by its atomic units. Measured
// (docs/results/formats.md): 1.1e11 additions a second there, and 9 ms for a list of 3.0e6
// determinants with 1.3e9 nonzeros, 7e10 a second.

namespace cisolve {
namespace {

using namespace packed_slices;

constexpr int mirror_threads = 256;
constexpr int slice_lanes = packed_rows;

/// The packed triangle, whatever its packing is.
template <class Place>
struct Triangle {
  Index rows;
  const Index* row_order;  ///< null: rows are in their own order, all in the expansion
  DeviceGroups<Place, std::uint16_t> coded;
  DeviceGroups<std::uint16_t, double> plain;
  const double* dictionary;
  const Offset* expansion_offsets;  ///< null: it has no entry
  const Index* expansion_columns;
  const double* expansion_values;
};

__device__ inline double element_of(const double* dictionary, unsigned code) {
  return with_sign(__ldg(dictionary + (code & ~static_cast<unsigned>(sign_of_code))), code);
}
__device__ inline double element_of(const double*, double element) {
  return element;
}

/// Adds a_ij own to row j of Y.
template <int K>
__device__ inline void add_mirrored(double element, Index column, Index row, const double (&own)[K],
                                    double* y, std::int64_t y_stride) {
  if (column == row) return;
  double* to = y + column * y_stride;
#pragma unroll
  for (int j = 0; j < K; ++j) atomicAdd(to + j, element * own[j]);
}

template <int K, class Groups>
__device__ inline void add_mirrored_groups(const Groups& m, const double* dictionary, Index s,
                                           int r, Index row, const double (&own)[K], double* y,
                                           std::int64_t y_stride) {
  if (m.slice_offsets == nullptr) return;
  for (Offset g = m.slice_offsets[s]; g < m.slice_offsets[s + 1]; ++g) {
    const LoadedGroup<typename Groups::Place, typename Groups::Element> group(m, g, r);
#pragma unroll
    for (int t = 0; t < packed_steps; ++t) {
      if (group.elements[t] == 0) continue;  // padding
      add_mirrored<K>(element_of(dictionary, group.elements[t]), group.column(t), row, own, y,
                      y_stride);
    }
  }
}

/// Y := Y + α(U − D)ᵀX for packed X.
template <int K, class Place>
__global__ void __launch_bounds__(mirror_threads)
    add_transposed_kernel(Triangle<Place> m, double alpha, const double* __restrict__ x, double* y,
                          std::int64_t y_stride) {
  const std::int64_t stored = std::int64_t{blockIdx.x} * mirror_threads + threadIdx.x;
  if (stored >= m.rows) return;
  const auto s = static_cast<Index>(stored / slice_lanes);
  const int r = static_cast<int>(stored % slice_lanes);
  const Index row = m.row_order == nullptr ? static_cast<Index>(stored) : m.row_order[stored];
  double own[K];
  cuda::load_row<K, true>(x + std::int64_t{row} * K, own);
#pragma unroll
  for (int j = 0; j < K; ++j) own[j] *= alpha;
  add_mirrored_groups<K>(m.coded, m.dictionary, s, r, row, own, y, y_stride);
  add_mirrored_groups<K>(m.plain, m.dictionary, s, r, row, own, y, y_stride);
  if (m.expansion_offsets == nullptr) return;
  for (Offset e = m.expansion_offsets[row]; e < m.expansion_offsets[row + 1]; ++e) {
    add_mirrored<K>(m.expansion_values[e], m.expansion_columns[e], row, own, y, y_stride);
  }
}

template <class T>
const T* data_or_null(const Buffer<T>& buffer) {
  return buffer.size() == 0 ? nullptr : buffer.data();
}

class CudaPackedSymmetricOperator final : public ForwardingOperator {
 public:
  /// The matrix has so many nonzeros, and `upper` is its triangle; `begun` before that was cut.
  CudaPackedSymmetricOperator(Offset nonzeros, RowSource& upper, Backend& backend,
                              const Timer& begun)
      : nonzeros_(nonzeros),
        upper_(pack_rows(upper, backend, "packed_symmetric", "")),
        build_seconds_(begun.seconds()) {}

  OperatorInfo info() const override {
    OperatorInfo info = upper_->info();
    info.nonzeros = nonzeros_;
    info.build_seconds = build_seconds_;
    return info;
  }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    upper_->apply(alpha, x, beta, y);
    for_each_device_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      add_transposed<k>(alpha, upper_->contiguous(x.slice(first, k)), y.slice(first, k));
    });
  }

 private:
  template <int K>
  void add_transposed(double alpha, ConstView x, View y) const {
    if (upper_->packing() == Packing::coded_far) {
      launch<K>(upper_->arrays().column_indices.data(), alpha, x, y);
    } else {
      launch<K>(data_or_null(upper_->arrays().column_offsets), alpha, x, y);
    }
  }

  template <int K, class Place>
  void launch(const Place* places, double alpha, ConstView x, View y) const {
    const DevicePacked& m = upper_->arrays();
    const Triangle<Place> triangle{
        y.rows,
        data_or_null(m.row_order),
        {m.codes.size() == 0 ? nullptr : m.slice_offsets.data(), data_or_null(m.bases), places,
         data_or_null(m.codes)},
        {m.plain_values.size() == 0 ? nullptr : m.plain_slice_offsets.data(),
         data_or_null(m.plain_bases), data_or_null(m.plain_column_offsets),
         data_or_null(m.plain_values)},
        data_or_null(m.dictionary),
        data_or_null(m.expansion_offsets),
        data_or_null(m.expansion_columns),
        data_or_null(m.expansion_values)};
    const std::int64_t blocks = (std::int64_t{y.rows} + mirror_threads - 1) / mirror_threads;
    add_transposed_kernel<K><<<static_cast<unsigned>(blocks), mirror_threads>>>(
        triangle, alpha, x.data, y.data, y.stride);
    check_launch("transposed packed product");
  }

  LinearOperator& inner() const override { return *upper_; }

  Offset nonzeros_;
  std::unique_ptr<PackedOnDevice> upper_;
  double build_seconds_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_packed_symmetric_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions&) {
  const Timer begun;
  const auto upper = upper_part(a, "packed_symmetric");
  HostRows rows(*upper, backend);
  return std::make_unique<CudaPackedSymmetricOperator>(full_nonzeros(*upper), rows, backend, begun);
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_packed_symmetric_from_rows)(
    RowSource& source, Backend& backend) {
  const Timer begun;
  upper_rows::UpperRows rows(source, backend);
  return std::make_unique<CudaPackedSymmetricOperator>(source.nonzeros(), rows, backend, begun);
}

}  // namespace cisolve
