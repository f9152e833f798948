#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/types.hpp"

/// Rows that operators of one spin make of a vector over the determinants of a few strings. `out`
/// has a row of `ld` doubles for each operator, with `width` elements for each string, one string
/// behind another. A block takes one string and operator: grid (strings, operators). Entries of
/// tables are those of OperatorTable.
namespace cisolve {
namespace {

constexpr int excite_threads = 256;

/// Rows of operators on alpha strings: whole rows of x. String i is column first + i of the table.
__global__ void __launch_bounds__(excite_threads)
    excite_alphas(const Index* table, std::int64_t columns, Index first, const double* x,
                  const std::int64_t* row_begin, Index width, double* out, std::int64_t ld) {
  const Index entry = table[blockIdx.y * columns + first + blockIdx.x];
  double* const to = out + blockIdx.y * ld + static_cast<std::int64_t>(blockIdx.x) * width;
  if (entry == 0) {
    for (Index b = threadIdx.x; b < width; b += blockDim.x) to[b] = 0.0;
    return;
  }
  const double* const from = x + row_begin[abs(entry) - 1];
  for (Index b = threadIdx.x; b < width; b += blockDim.x) to[b] = entry > 0 ? from[b] : -from[b];
}

/// Rows of operators on beta strings: elements of the row of alpha string first_row + i, whose beta
/// strings begin with first_source. Element b is column first + b of the table.
__global__ void __launch_bounds__(excite_threads)
    excite_betas(const Index* table, std::int64_t columns, Index first, const double* x,
                 const std::int64_t* row_begin, Index first_row, Index first_source, Index width,
                 double* out, std::int64_t ld) {
  const Index* const entries = table + blockIdx.y * columns + first;
  double* const to = out + blockIdx.y * ld + static_cast<std::int64_t>(blockIdx.x) * width;
  const double* const from = x + row_begin[first_row + blockIdx.x];
  for (Index b = threadIdx.x; b < width; b += blockDim.x) {
    const Index entry = entries[b];
    double value = 0.0;
    if (entry != 0) value = from[abs(entry) - 1 - first_source];
    to[b] = entry >= 0 ? value : -value;
  }
}

}  // namespace
}  // namespace cisolve
