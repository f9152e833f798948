#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backends/cuda/check.hpp"
#include "core/types.hpp"

/// What a direct product does on a GPU beside products of rows: vectors are brought into the order
/// of its layout and back, and σ is gathered from G.
namespace cisolve {
namespace {

constexpr int block_threads = 256;

unsigned blocks_of(std::int64_t n) {
  return static_cast<unsigned>((n + block_threads - 1) / block_threads);
}

Index even(Index n) {
  return n + n % 2;
}

/// c := a column of X, alpha string by alpha string, with the gaps between them zero; or a column
/// of Y := α σ + β Y.
struct Rows {
  const std::int64_t* begin;     ///< of each alpha string, in the memory of c
  const std::int64_t* in_space;  ///< DirectLayout::row_in_space
  const Index* first;            ///< beta strings of it
  const Index* size;
  const Index* number;  ///< of beta strings in the space
};

__global__ void load(Rows rows, const double* x, std::int64_t stride, double* c) {
  const Index a = blockIdx.x, size = rows.size[a], first = rows.first[a];
  double* const to = c + rows.begin[a];
  for (Index b = threadIdx.x; b < size; b += blockDim.x) {
    to[b] = x[(rows.in_space[a] + rows.number[first + b]) * stride];
  }
  if (threadIdx.x == 0 && size % 2 != 0) to[size] = 0.0;
}

__global__ void store(Rows rows, const double* sigma, double alpha, double beta, double* y,
                      std::int64_t stride) {
  const Index a = blockIdx.x, size = rows.size[a], first = rows.first[a];
  const double* const from = sigma + rows.begin[a];
  for (Index b = threadIdx.x; b < size; b += blockDim.x) {
    double& element = y[(rows.in_space[a] + rows.number[first + b]) * stride];
    element = beta == 0.0 ? alpha * from[b] : alpha * from[b] + beta * element;
  }
}

/// σ_ab := or += Σ_t ± G_a[t, b'] with ±(b' + 1) in `table` at [t, b], 0 for none: several alpha
/// strings a thread, which share the table.
constexpr int strings_together = 4;

__global__ void __launch_bounds__(block_threads)
    gather_pairs(const Index* table, std::int64_t table_rows, int pairs, const double* g,
                 std::int64_t ldg, std::int64_t item_size, Index items, Index sources_first,
                 Index targets_first, Index targets, bool add, double* sigma, std::int64_t ld) {
  const Index b = blockIdx.x * block_threads + threadIdx.x;
  const Index first = blockIdx.y * strings_together;
  if (b >= targets) return;
  const int count = min(strings_together, items - first);
  double sum[strings_together] = {};
  const Index* entry = table + targets_first + b;
  const double* from = g + first * item_size - sources_first - 1;
  for (int t = 0; t < pairs; ++t, entry += table_rows, from += ldg) {
    const Index link = *entry;
    if (link == 0) continue;
    const Index source = abs(link);
    for (int i = 0; i < strings_together; ++i) {
      if (i >= count) break;
      const double value = from[i * item_size + source];
      sum[i] += link > 0 ? value : -value;
    }
  }
  for (int i = 0; i < count; ++i) {
    double& place = sigma[(first + i) * ld + b];
    place = add ? place + sum[i] : sum[i];
  }
}

/// Row s of σ += Σ ± row |l| − 1 of G over the entries l of string s.
__global__ void __launch_bounds__(block_threads)
    gather_additions(const Offset* begin, const Index* entries, const double* g, Index columns,
                     std::int64_t ldg, bool add, double* sigma, std::int64_t ld) {
  const Index s = blockIdx.x;
  for (Index b = threadIdx.x; b < columns; b += blockDim.x) {
    double sum = 0.0;
    for (Offset i = begin[s]; i < begin[s + 1]; ++i) {
      const Index entry = entries[i];
      const double value = g[(abs(entry) - std::int64_t{1}) * ldg + b];
      sum += entry > 0 ? value : -value;
    }
    double& place = sigma[s * ld + b];
    place = add ? place + sum : sum;
  }
}

/// Y := or += Xᵀ; X is rows × columns.
__global__ void transpose(const double* x, std::int64_t ldx, Index rows, Index columns, bool add,
                          double* y, std::int64_t ldy) {
  __shared__ double tile[32][33];
  const Index row = blockIdx.y * 32, column = blockIdx.x * 32;
  for (Index i = threadIdx.y; i < 32; i += 8) {
    if (row + i < rows && column + threadIdx.x < columns) {
      tile[i][threadIdx.x] = x[(row + i) * ldx + column + threadIdx.x];
    }
  }
  __syncthreads();
  for (Index i = threadIdx.y; i < 32; i += 8) {
    if (column + i < columns && row + threadIdx.x < rows) {
      double& place = y[(column + i) * ldy + row + threadIdx.x];
      place = add ? place + tile[threadIdx.x][i] : tile[threadIdx.x][i];
    }
  }
}

void add_transposed(const double* x, std::int64_t ldx, Index rows, Index columns, bool add,
                    double* y, std::int64_t ldy) {
  transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(x, ldx, rows, columns,
                                                                          add, y, ldy);
  check_launch("transposing");
}

}  // namespace
}  // namespace cisolve
