#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"
#include "core/types.hpp"
#include "hamiltonian/direct/rows/direct_strings.hpp"

/// Work of a direct product on a GPU beside products of rows: σ is gathered from G.
namespace cisolve {
namespace {

Index even(Index n) {
  return n + n % 2;
}

/// S²c for alpha strings of one irrep and pairs of one irrep: an alpha electron alone in its
/// orbital and a beta electron change places. `own` adds the diagonal terms; `lower` takes only b ≤
/// a, and half of it for b = a. At [t, b] `table` has ±(b' + 1) for X_t |b'⟩ = ±|b⟩, 0 for none;
/// links are AlphaLinks'.
struct SpinSquaredTerms {
  const OrbitalString64 *alphas, *betas;
  const Offset* begin;
  const PairLink* links;
  const Index* table;
  std::int64_t table_rows;
  Index alphas_first, targets_first, targets;
  double ms;
  bool own, lower;
  const double* c;  ///< of the sources
  std::int64_t ld;
  Index sources_alphas_first, sources_first;
  const double* own_c;
  double* sigma;
  std::int64_t own_ld;
};
__global__ void __launch_bounds__(block_threads) s_squared(SpinSquaredTerms p) {
  const Index b = blockIdx.x * block_threads + threadIdx.x, i = blockIdx.y;
  const Index a = p.alphas_first + i;
  if (b >= p.targets || (p.lower && p.targets_first + b > a)) return;
  const OrbitalString64 string = p.alphas[a], other = p.betas[p.targets_first + b];
  double sum = 0.0;
  for (Offset e = p.begin[Offset{a} * most_irreps]; e < p.begin[Offset{a} * most_irreps + 1]; ++e) {
    const PairLink link = p.links[e];
    const OrbitalString64 from = p.alphas[link.string], both = from ^ string;
    if ((other & both) != (from & ~string)) continue;
    const Index entry = p.table[link.pair * p.table_rows + p.targets_first + b];
    if (entry == 0) continue;
    const double value =
        p.c[(link.string - p.sources_alphas_first) * p.ld + abs(entry) - 1 - p.sources_first];
    sum -= (entry > 0 ? link.sign : -link.sign) * value;
  }
  double& place = p.sigma[i * p.own_ld + b];
  if (p.own) {
    const double diagonal = p.ms * (p.ms + 1.0) + (other & ~string).count();
    sum += diagonal * p.own_c[i * p.own_ld + b];
  }
  place += p.lower && p.targets_first + b == a ? 0.5 * sum : sum;
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
  const unsigned across = (columns + 31) / 32;  // the grid's first dimension takes any number
  const Index row = blockIdx.x / across * 32, column = blockIdx.x % across * 32;
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
  const unsigned tiles = (columns + 31u) / 32 * ((rows + 31u) / 32);
  transpose<<<tiles, dim3(32, 8)>>>(x, ldx, rows, columns, add, y, ldy);
  check_launch("transposing");
}

}  // namespace
}  // namespace cisolve
