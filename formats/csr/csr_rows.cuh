#pragma once

#include "formats/shared/field_runs.cuh"
#include "formats/shared/single_values.hpp"

namespace cisolve::cuda {

/// Rows in CSR; `Value` is double, float or FieldElement<D>.
template <class Value>
struct CsrRows {
  const Offset* offsets;
  const Index* columns;
  const Value* values;
  Diagonal diagonal;  ///< read where values are single

  template <class S, class Stride>
  __device__ void add(std::int64_t i, int lane, const double* x, Stride stride,
                      double (&sum)[S::width]) const {
    add_entries<S>(values, columns, offsets[i], offsets[i + 1], lane, x, stride, sum);
    if constexpr (diagonal_apart<Value>) add_diagonal<S>(diagonal, i, lane, x, stride, sum);
  }
};

}  // namespace cisolve::cuda
