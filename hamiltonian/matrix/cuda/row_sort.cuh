#pragma once

#include "core/types.hpp"

namespace cisolve::row_sort {

inline constexpr int threads = 128;
/// Entries of a row that is sorted in shared memory.
inline constexpr int most_shared = 2048;

__device__ inline void order(Index* columns, double* values, Offset i, Offset j) {
  if (columns[i] <= columns[j]) return;
  const Index column = columns[i];
  const double value = values[i];
  columns[i] = columns[j];
  values[i] = values[j];
  columns[j] = column;
  values[j] = value;
}

/// Sorts n entries by column, by one thread block (Batcher's bitonic sort in the form whose
/// exchanges all put the smaller one first, so that what is beyond n need not be there).
__device__ inline void sort(Index* columns, double* values, Offset n) {
  for (Offset size = 2; size / 2 < n; size *= 2) {
    // Both halves of a run of `size` ascend: they are compared from the middle outwards, and then
    // at ever smaller distances.
    for (Offset distance = size - 1, next = size / 4; distance > 0; distance = next, next /= 2) {
      __syncthreads();
      for (Offset i = threadIdx.x; i < n; i += threads) {
        const Offset j = i ^ distance;
        if (j > i && j < n) order(columns, values, i, j);
      }
    }
  }
  __syncthreads();
}

/// A row of a block for every thread block.
__global__ void __launch_bounds__(threads)
    sort_kernel(const Offset* row_offsets, Index* columns, double* values) {
  __shared__ Index shared_columns[most_shared];
  __shared__ double shared_values[most_shared];
  const Offset begin = row_offsets[blockIdx.x] - row_offsets[0],
               n = row_offsets[blockIdx.x + 1] - row_offsets[blockIdx.x];
  columns += begin;
  values += begin;
  if (n > most_shared) {
    sort(columns, values, n);
    return;
  }
  for (Offset i = threadIdx.x; i < n; i += threads) {
    shared_columns[i] = columns[i];
    shared_values[i] = values[i];
  }
  sort(shared_columns, shared_values, n);
  for (Offset i = threadIdx.x; i < n; i += threads) {
    columns[i] = shared_columns[i];
    values[i] = shared_values[i];
  }
}

}  // namespace cisolve::row_sort
