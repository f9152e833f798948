#pragma once

#include "formats/ell/ell.hpp"
#include "formats/shared/row_kernels.cuh"

namespace cisolve::cuda {

/// A lane a row; entry e of all rows lies together, so the 32 lanes of a warp read whole lines.
struct EllRows {
  Index rows;
  Index width;
  const Index* columns;
  const double* values;

  template <class S>
  __device__ void add(std::int64_t i, int /*lane*/, const double* x, int stride,
                      double (&sum)[S::width]) const {
    static_assert(S::entries == 1);
#pragma unroll 4
    for (Index e = 0; e < width; ++e) {
      const std::int64_t place = i + static_cast<std::int64_t>(e) * rows;
      const double value = __ldcs(values + place);
      double from[S::width];
      load_row<S::width, true>(x + static_cast<std::int64_t>(__ldcs(columns + place)) * stride,
                               from);
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] += value * from[j];
    }
  }
};

/// An EllMatrix in order by_column with its arrays on the device.
class DeviceEll {
 public:
  DeviceEll() = default;
  DeviceEll(const EllMatrix& ell, Backend& backend)
      : rows_(ell.rows),
        width_(ell.width),
        column_indices_(Buffer<Index>::from_host(backend, ell.column_indices)),
        values_(Buffer<double>::from_host(backend, ell.values)) {}
  /// Y := αAX + βY.
  void multiply(const StoredOperator& a, double alpha, ConstView x, double beta, View y) const {
    const EllRows device_rows{rows_, width_, column_indices_.data(), values_.data()};
    multiply_lane_a_row<1>(a, device_rows, alpha, x, beta, y);
  }

 private:
  Index rows_ = 0, width_ = 0;
  Buffer<Index> column_indices_;
  Buffer<double> values_;
};

}  // namespace cisolve::cuda
