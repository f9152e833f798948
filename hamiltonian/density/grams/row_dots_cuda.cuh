#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/types.hpp"

/// ⟨u x|y⟩ of operators u on the strings of one spin, alpha string by alpha string: partial sums,
/// row u of `strings` doubles each. A warp is one alpha string and operator: grid (strings, blocks
/// of dot_warps operators). Entries of tables are those of OperatorTable. Bytes: two rows of the
/// vectors for each entry that is not zero, mostly from the cache; of betas also its 4-byte
/// entries.
namespace cisolve {
namespace {

constexpr int dot_warps = 8;

__device__ inline void store_dot(double sum, double* to) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) *to = sum;
}

/// Dots for operators on alpha strings: rows of x with rows of y. String i is column first + i of
/// the table.
__global__ void __launch_bounds__(32 * dot_warps)
    dot_alphas(const Index* table, std::int64_t columns, int operators, Index first, Index width,
               const std::int64_t* row_begin, const double* x, const double* y, double* sums) {
  const int u = static_cast<int>(blockIdx.y) * dot_warps + static_cast<int>(threadIdx.y);
  if (u >= operators) return;
  const Index string = first + static_cast<Index>(blockIdx.x);
  const Index entry = table[u * columns + string];
  double sum = 0.0;
  if (entry != 0) {
    const double* const of_x = x + row_begin[abs(entry) - 1];
    const double* const of_y = y + row_begin[string];
#pragma unroll 4
    for (Index b = threadIdx.x; b < width; b += 32) sum += of_x[b] * of_y[b];
    if (entry < 0) sum = -sum;
  }
  store_dot(sum, sums + u * std::int64_t{gridDim.x} + blockIdx.x);
}

/// Dots for operators on beta strings, ⟨x|t y⟩: elements of a row of y with those of the same row
/// of x, which begins with beta string first_beta.
__global__ void __launch_bounds__(32 * dot_warps)
    dot_betas(const Index* table, std::int64_t columns, int operators, Index first, Index width,
              Index first_beta, const std::int64_t* row_begin, const double* x, const double* y,
              double* sums) {
  const int t = static_cast<int>(blockIdx.y) * dot_warps + static_cast<int>(threadIdx.y);
  if (t >= operators) return;
  const Index string = first + static_cast<Index>(blockIdx.x);
  const Index* const entries = table + t * columns + first_beta;
  const double *const of_x = x + row_begin[string], *const of_y = y + row_begin[string];
  double sum = 0.0;
#pragma unroll 4
  for (Index b = threadIdx.x; b < width; b += 32) {
    const Index entry = entries[b];
    if (entry == 0) continue;
    const double product = of_x[b] * of_y[abs(entry) - 1 - first_beta];
    sum += entry > 0 ? product : -product;
  }
  store_dot(sum, sums + t * std::int64_t{gridDim.x} + blockIdx.x);
}

/// totals[u] += Σ of row u, in a fixed order; a block each.
__global__ void __launch_bounds__(256) add_rows(const double* sums, Index strings, double* totals) {
  __shared__ double parts[256];
  const double* const row = sums + blockIdx.x * std::int64_t{strings};
  double sum = 0.0;
  for (Index i = static_cast<Index>(threadIdx.x); i < strings; i += 256) sum += row[i];
  parts[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) totals[blockIdx.x] += parts[0];
}

}  // namespace
}  // namespace cisolve
