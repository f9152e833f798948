#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backends/cuda/check.hpp"
#include "core/types.hpp"
#include "hamiltonian/direct/rows/direct_strings.hpp"

/// Vectors over the rows of a direct operator go over into the order of its layout and back
/// (DirectRows::to_layout, from_layout), a block of strings of two irreps at a time.
namespace cisolve {
namespace {

/// Alpha strings of one irrep and beta strings of another.
struct StringBlock {
  Index alphas_first, alphas, betas_first, betas;  ///< numbers in the layout
  int beta_irrep;
  double* c;  ///< of the first of both, rows of ld
  std::int64_t ld;
  /// Elements of the transposed block, if parities are told apart.
  double* turned;
  std::int64_t turned_ld;
  bool triangle;  ///< it is its own transposed block
  /// DirectRows::Kind::begin of even functions or of determinants, and of odd functions; or null.
  const std::int64_t *even, *odd;
  /// Rows of a vector that is written: the others are other ranks'.
  std::int64_t own_first, own_rows;
};

constexpr int tile = 32, tile_rows = 8;

__device__ inline std::int64_t row_of(const StringBlock& b, const std::int64_t* begin, Index i,
                                      Index j) {
  return begin[std::int64_t{most_irreps} * (b.alphas_first + i) + b.beta_irrep] + j;
}

/// The place of a row in a vector that has a rank's own; negative where it is another's.
__device__ inline std::int64_t own_place(const StringBlock& b, std::int64_t row) {
  return row < b.own_first + b.own_rows ? row - b.own_first : -1;
}

/// Tiles of a block lie one behind another along the grid's one dimension that takes any number.
__host__ __device__ inline unsigned tiles_across(const StringBlock& b) {
  return static_cast<unsigned>((b.betas + tile - 1) / tile);
}
unsigned tiles_of(const StringBlock& b) {
  return tiles_across(b) * static_cast<unsigned>((b.alphas + tile - 1) / tile);
}
constexpr dim3 tile_threads{tile, tile_rows};

__global__ void load(StringBlock b, const double* x, std::int64_t stride) {
  __shared__ double across[tile][tile + 1];
  const Index i_first = blockIdx.x / tiles_across(b) * tile;
  const Index j_first = blockIdx.x % tiles_across(b) * tile;
  if (b.triangle && j_first >= i_first + tile) return;
  const Index j = j_first + threadIdx.x;
  for (int r = threadIdx.y; r < tile; r += tile_rows) {
    const Index i = i_first + r;
    if (i >= b.alphas || j >= b.betas || (b.triangle && j > i)) continue;
    if (b.turned == nullptr) {
      b.c[i * b.ld + j] = x[row_of(b, b.even, i, j) * stride];
      continue;
    }
    const bool own = b.triangle && i == j;
    const double even = b.even != nullptr ? x[row_of(b, b.even, i, j) * stride] : 0.0;
    const double odd = b.odd != nullptr && !own ? x[row_of(b, b.odd, i, j) * stride] : 0.0;
    const double norm = own ? 1.0 : 0.70710678118654752440;
    b.c[i * b.ld + j] = norm * (even + odd);
    across[r][threadIdx.x] = norm * (even - odd);
  }
  if (b.turned == nullptr) return;
  __syncthreads();
  const Index i = i_first + threadIdx.x;
  for (int r = threadIdx.y; r < tile; r += tile_rows) {
    const Index column = j_first + r;
    if (i >= b.alphas || column >= b.betas || (b.triangle && column >= i)) continue;
    b.turned[column * b.turned_ld + i] = across[threadIdx.x][r];
  }
}

/// Y := α · (factor of its kind) · σ + β Y.
__global__ void store(StringBlock b, double alpha, double even_factor, double odd_factor,
                      double beta, double* y, std::int64_t stride) {
  __shared__ double across[tile][tile + 1];
  const Index i_first = blockIdx.x / tiles_across(b) * tile;
  const Index j_first = blockIdx.x % tiles_across(b) * tile;
  if (b.triangle && j_first >= i_first + tile) return;
  if (b.turned != nullptr) {
    const Index i = i_first + threadIdx.x;
    for (int r = threadIdx.y; r < tile; r += tile_rows) {
      const Index column = j_first + r;
      if (i < b.alphas && column < b.betas) {
        across[threadIdx.x][r] = b.turned[column * b.turned_ld + i];
      }
    }
    __syncthreads();
  }
  const auto set = [=](double value, std::int64_t row) {
    const std::int64_t place = own_place(b, row);
    if (place < 0) return;
    double& element = y[place * stride];
    element = beta == 0.0 ? alpha * value : alpha * value + beta * element;
  };
  const Index j = j_first + threadIdx.x;
  for (int r = threadIdx.y; r < tile; r += tile_rows) {
    const Index i = i_first + r;
    if (i >= b.alphas || j >= b.betas || (b.triangle && j > i)) continue;
    const double own = b.c[i * b.ld + j];
    if (b.turned == nullptr || (b.triangle && i == j)) {
      if (b.even != nullptr) set(even_factor * own, row_of(b, b.even, i, j));
      continue;
    }
    const double other = across[r][threadIdx.x], norm = 0.70710678118654752440;
    if (b.even != nullptr) set(even_factor * norm * (own + other), row_of(b, b.even, i, j));
    if (b.odd != nullptr) set(odd_factor * norm * (own - other), row_of(b, b.odd, i, j));
  }
}

}  // namespace
}  // namespace cisolve
