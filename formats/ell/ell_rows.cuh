#pragma once

#include "formats/shared/row_kernels.cuh"

namespace cisolve::cuda {

/// An EllMatrix in order by_column on the device. A lane a row; entry e of all rows lies together,
/// so the 32 lanes of a warp read whole lines.
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

/// Y := αAX + βY.
inline void multiply_ell(const StoredOperator& a, const EllRows& ell, double alpha, ConstView x,
                         double beta, View y) {
  multiply_lane_a_row<1>(a, ell, alpha, x, beta, y);
}

}  // namespace cisolve::cuda
