#include "formats/shared/field_rows.cuh"
#include "formats/shared/single_values.hpp"
#include "formats/shared/sliced_ell.hpp"

namespace cisolve {
namespace {

/// A lane a row; entry e of a slice's rows lies together, so the lanes of a warp read whole lines.
/// `Value` is double, float or FieldElement<D>.
template <class Value>
struct SlicedEllRows {
  Index rows;
  Index slice_height;
  const Offset* slice_offsets;
  const Index* columns;
  const Value* values;
  const Index* row_lengths;  ///< null: every row is as long as its slice is wide
  const Index* row_order;    ///< null: rows in order
  Diagonal diagonal;

  __device__ std::int64_t output_row(std::int64_t i) const {
    return row_order == nullptr ? i : row_order[i];
  }

  template <class S, class Stride>
  __device__ void add(std::int64_t i, int lane, const double* x, Stride stride,
                      double (&sum)[S::width]) const {
    static_assert(S::lanes == 1);
    const Index slice = static_cast<Index>(i) / slice_height;
    const std::int64_t first = static_cast<std::int64_t>(slice) * slice_height;
    const std::int64_t height = min(static_cast<std::int64_t>(slice_height), rows - first);
    const Offset begin = slice_offsets[slice];
    const auto length = static_cast<Index>(
        row_lengths != nullptr ? row_lengths[i] : (slice_offsets[slice + 1] - begin) / height);
    const Offset row = begin + i - first;
#pragma unroll 4
    for (Index e = 0; e < length; ++e) {
      const Offset place = row + e * height;
      cuda::add_entry<S>(values + place, columns + place, x, stride, sum);
    }
    if constexpr (diagonal_apart<Value>) {
      cuda::add_diagonal<S>(diagonal, output_row(i), lane, x, stride, sum);
    }
  }
};

template <class Value>
class CudaSlicedEllOperator final : public cuda::LaneARowOperator {
 public:
  CudaSlicedEllOperator(const CsrMatrix& a, const Value* values, Backend& backend,
                        const SlicedEllLayout& layout)
      : LaneARowOperator(a, backend, layout.format) {
    const SlicedEllArrays<Value> m = to_sliced_ell(a, values, layout);
    slice_height_ = m.slice_height;
    slice_offsets_ = Buffer<Offset>::from_host(backend, m.slice_offsets);
    column_indices_ = Buffer<Index>::from_host(backend, m.column_indices);
    values_ = Buffer<Value>::from_host(backend, m.values);
    if (!m.row_lengths.empty()) row_lengths_ = Buffer<Index>::from_host(backend, m.row_lengths);
    if (!m.row_order.empty()) row_order_ = Buffer<Index>::from_host(backend, m.row_order);
    built(m.bytes(), m.slice_offsets.back() - a.nonzeros(), describe(layout));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    const SlicedEllRows<Value> device_rows{
        rows() / components(), slice_height_,       slice_offsets_.data(), column_indices_.data(),
        values_.data(),        row_lengths_.data(), row_order_.data(),     stored_diagonal()};
    cuda::multiply_lanes<Value>(*this, device_rows, alpha, x, beta, y);
  }

 private:
  Index slice_height_ = 1;
  Buffer<Offset> slice_offsets_;
  Buffer<Index> column_indices_;
  Buffer<Value> values_;
  Buffer<Index> row_lengths_, row_order_;  ///< empty where the layout has none
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_sliced_ell_cuda)(
    const CsrMatrix& a, Backend& backend, const SlicedEllLayout& layout) {
  return with_components(a.components, [&](auto d) -> std::unique_ptr<LinearOperator> {
    return std::make_unique<CudaSlicedEllOperator<FieldElement<d.value>>>(
        a, field_elements<d.value>(a), backend, layout);
  });
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_sliced_ell_single_cuda)(
    const CsrMatrix& a, const Array<float>& values, Backend& backend,
    const SlicedEllLayout& layout) {
  return std::make_unique<CudaSlicedEllOperator<float>>(a, values.data(), backend, layout);
}

}  // namespace cisolve
