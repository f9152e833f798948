#pragma once

#include "formats/ell/ell.hpp"
#include "formats/shared/field_rows.cuh"

namespace cisolve::cuda {

/// A lane a row; entry e of all rows lies together, so the 32 lanes of a warp read whole lines.
template <class Value>
struct EllRows {
  Index rows;
  Index width;
  const Index* columns;
  const Value* values;

  template <class S, class Stride>
  __device__ void add(std::int64_t i, int /*lane*/, const double* x, Stride stride,
                      double (&sum)[S::width]) const {
    static_assert(S::lanes == 1);
#pragma unroll 4
    for (Index e = 0; e < width; ++e) {
      const std::int64_t place = i + static_cast<std::int64_t>(e) * rows;
      add_entry<S>(values + place, columns + place, x, stride, sum);
    }
  }
};

/// ELLPACK in order by_column with its arrays on the device.
template <class Value>
class DeviceEll {
 public:
  DeviceEll() = default;
  DeviceEll(const EllArrays<Value>& ell, Backend& backend)
      : rows_(ell.rows),
        width_(ell.width),
        column_indices_(Buffer<Index>::from_host(backend, ell.column_indices)),
        values_(Buffer<Value>::from_host(backend, ell.values)) {}
  /// Y := αAX + βY.
  void multiply(const StoredOperator& a, double alpha, ConstView x, double beta, View y) const {
    const EllRows<Value> device_rows{rows_, width_, column_indices_.data(), values_.data()};
    multiply_lanes<Value>(a, device_rows, alpha, x, beta, y);
  }

 private:
  Index rows_ = 0, width_ = 0;
  Buffer<Index> column_indices_;
  Buffer<Value> values_;
};

}  // namespace cisolve::cuda
