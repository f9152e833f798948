#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "backends/cuda/check.hpp"
#include "core/error.hpp"
#include "hamiltonian/direct/cuda/matrix_instructions.cuh"
#include "hamiltonian/direct/rows/direct_strings.hpp"

/// G := Wᵀ D for many items at once. The rows of D are rows of a matrix X that a list names, and W
/// is made from that list. Both are read in place and never written as matrices.
namespace cisolve::rows_product {

/// Product of item i with links l_0 … l_{k−1} and targets m_0 … m_{n−1}, which are some of these:
///   G_i[t, :] := Σ_k W_kt X[l_k.string, :],  W_kt = s_k s_t V[l_k.pair, m_t.pair].
struct Problem {
  const double* x;  ///< row r of X at x + r ld
  std::int64_t ld;
  Index columns;        ///< of X and G, a multiple of 2 readable, as ld is
  const Offset* begin;  ///< links of item i: begin[i] … begin[i + 1] − 1
  const PairLink* links;
  const Offset* targets_begin;  ///< the same of its targets
  const PairLink* targets;
  const double* v[8];        ///< V, row by row, of pair irrep y
  int pairs[8];              ///< its columns
  const std::int8_t* irrep;  ///< y of each item
  double* g;                 ///< G_i at g + i · item_size, rows of ldg
  std::int64_t ldg, item_size;
};

constexpr int warp_columns = 32;
constexpr int step_rows = 16;  ///< of G, that a warp makes together
/// Rows of D as they are padded: whole steps of the matrix instructions.
__host__ __device__ constexpr int padded(int k) {
  return (k + 3) / 4 * 4;
}

/// A block has MW × NW warps; a warp has 16 MT rows t of G and 32 columns. CR rows of X are in
/// flight together, CH times. Grid: items × parts of the columns × parts of t. B blocks share a
/// processor, so that some multiply while others write.
template <int MW, int MT, int NW, int CR, int CH, int B>
__global__ void __launch_bounds__(MW* NW * 32, B) multiply(Problem p) {
  constexpr int chunk_rows = CR, chunks = CH;
  constexpr int rows_t = MW * MT * 16, ldw = rows_t + 4;  // ≡ 4 mod 16: no two lanes share a bank
  constexpr int width = NW * warp_columns, ldd = width + 4;
  constexpr int threads = MW * NW * 32;
  extern __shared__ double shared[];
  const auto item = static_cast<Index>(blockIdx.x);
  const Offset begin = p.begin[item];
  const int k_size = static_cast<int>(p.begin[item + 1] - begin), k_padded = padded(k_size);
  const Offset targets_begin = p.targets_begin[item];
  const int t_size = static_cast<int>(p.targets_begin[item + 1] - targets_begin);
  const int pairs = p.pairs[p.irrep[item]];
  const double* const v = p.v[p.irrep[item]];
  const int t_first = blockIdx.z * rows_t;
  if (t_first >= t_size) return;
  double* const w = shared;
  double* const d = shared + k_padded * ldw;
  auto* const places = reinterpret_cast<std::int64_t*>(d + chunks * chunk_rows * ldd);
  const PairLink* const list = p.links + begin;
  const PairLink* const targets = p.targets + targets_begin;

  for (int i = threadIdx.x; i < k_padded * rows_t; i += threads) {
    const int k = i / rows_t, t = t_first + i % rows_t;
    double weight = 0.0;
    if (k < k_size && t < t_size) {
      weight =
          list[k].sign * targets[t].sign * v[list[k].pair * std::int64_t{pairs} + targets[t].pair];
    }
    w[k * ldw + i % rows_t] = weight;
  }

  for (int k = threadIdx.x; k < k_size; k += threads) {
    places[k] = list[k].string * p.ld;
  }
  __syncthreads();

  const int tiles = (p.columns + width - 1) / width;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
  const int first_step = warp / NW, n_warp = warp % NW * warp_columns;
  // Copies run ahead of the products, across tiles.
  int ahead = blockIdx.y, fetch_row = 0;
  const auto fetch = [&](int slot) {
    if (ahead < tiles) {
      const int column = ahead * width;
      double* const to = d + slot * (chunk_rows * ldd);
      for (int i = threadIdx.x; i < chunk_rows * (width / 2); i += threads) {
        const int r = i / (width / 2), c = i % (width / 2) * 2, k = fetch_row + r;
        const bool there = k < k_size && column + c < p.columns;
        copy_async(to + r * ldd + c, there ? p.x + places[k] + column + c : p.x, there);
      }
      fetch_row += chunk_rows;
      if (fetch_row >= k_padded) {
        fetch_row = 0;
        ahead += gridDim.y;
      }
    }
    commit_copies();
  };

  int slot = 0;
  for (int q = 0; q < chunks - 1; ++q) fetch(q);
  for (int tile = blockIdx.y; tile < tiles; tile += gridDim.y) {
    double sum[MT][4][4] = {};
    bool wanted[MT];
    const double* weights[MT];  // of the next rows k of D
#pragma unroll
    for (int i = 0; i < MT; ++i) {
      const int row = (i * MW + first_step) * step_rows;
      wanted[i] = tile * width + n_warp < p.columns && t_first + row < t_size;
      weights[i] = w + t4 * ldw + row + g;
    }
    for (int k_first = 0; k_first < k_padded; k_first += chunk_rows) {
      wait_for_copies<chunks - 2>();
      __syncthreads();
      fetch(slot == 0 ? chunks - 1 : slot - 1);
      const double* const from = d + slot * (chunk_rows * ldd) + n_warp + g;
#pragma unroll
      for (int step = 0; step < chunk_rows; step += 4) {
        if (k_first + step >= k_padded) break;
        double b[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) b[j] = from[(step + t4) * ldd + 8 * j];
        double a[MT][2];
#pragma unroll
        for (int i = 0; i < MT; ++i) {
          a[i][0] = weights[i][step * ldw];
          a[i][1] = weights[i][step * ldw + 8];
        }
#pragma unroll
        for (int i = 0; i < MT; ++i) {
          if (!wanted[i]) continue;
#pragma unroll
          for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], a[i][0], a[i][1], b[j]);
        }
      }
#pragma unroll
      for (int i = 0; i < MT; ++i) weights[i] += chunk_rows * ldw;
      slot = slot == chunks - 1 ? 0 : slot + 1;
    }
    const int column = tile * width + n_warp + 2 * t4;
    double* const to = p.g + static_cast<std::int64_t>(blockIdx.x) * p.item_size;
#pragma unroll
    for (int i = 0; i < MT; ++i) {
      if (!wanted[i]) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int t = t_first + (i * MW + first_step) * step_rows + 8 * half + g;
        if (t >= t_size) continue;
        double* const place = to + t * p.ldg + column;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (column + 8 * j >= p.columns) continue;
          *reinterpret_cast<double2*>(place + 8 * j) =
              make_double2(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
        }
      }
    }
  }
}

/// Shared memory of a block.
template <int MW, int MT, int NW, int CR, int CH>
std::size_t bytes_of(int links) {
  return sizeof(double) *
         (padded(links) * (MW * MT * 16 + 4) + CH * CR * (NW * warp_columns + 4) + links);
}

template <int MW, int MT, int NW, int CR, int CH, int B>
void launch(const Problem& p, Index items, int links, int targets, int processors) {
  constexpr int rows_t = MW * MT * 16;
  const std::size_t bytes = bytes_of<MW, MT, NW, CR, CH>(links);
  const auto kernel = multiply<MW, MT, NW, CR, CH, B>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  const int tiles = (p.columns + NW * warp_columns - 1) / (NW * warp_columns);
  // Every block takes many tiles where there are many items, for W is made anew in each.
  const int parts = std::clamp(8 * B * processors / std::max<int>(items, 1), 1, tiles);
  const dim3 grid(items, parts, (targets + rows_t - 1) / rows_t);
  kernel<<<grid, MW * NW * 32, bytes>>>(p);
  check_launch("product of rows");
}

/// Calls visit with the shape of blocks for products of that many links at most; measured on an
/// H200. Throws ResourceError where no shape has room for the weights: beyond 1176 links where a
/// block has 227 KB.
template <class Visit>
void with_shape(int links, Visit visit) {
  const auto most = static_cast<std::size_t>(most_shared_memory());
  if (bytes_of<1, 1, 4, 8, 4>(links) > most) {
    throw ResourceError("direct products: " + std::to_string(links) +
                        " pairs of orbitals for two electrons of one spin take " +
                        std::to_string(bytes_of<1, 1, 4, 8, 4>(links)) +
                        " bytes of shared memory, of which this GPU has " + std::to_string(most) +
                        "; operator: stored needs none");
  }
  if (links <= 16) return visit.template operator()<1, 1, 4, 16, 3, 1>();
  if (links <= 32) return visit.template operator()<1, 2, 4, 16, 3, 1>();
  if (links <= 48) return visit.template operator()<1, 3, 4, 16, 3, 1>();
  if (bytes_of<1, 3, 4, 8, 4>(links) > most) return visit.template operator()<1, 1, 4, 8, 4, 1>();
  if (links > 170) return visit.template operator()<1, 3, 4, 8, 4, 1>();
  if (links <= 64) return visit.template operator()<2, 2, 4, 16, 3, 1>();
  return visit.template operator()<1, 3, 4, 8, 4, 3>();
}

/// G of `items` items of at most that many links and targets each.
inline void run(const Problem& p, Index items, int links, int targets, int processors) {
  if (items == 0 || targets == 0 || p.columns == 0) return;
  with_shape(links, [&]<int MW, int MT, int NW, int CR, int CH, int B>() {
    launch<MW, MT, NW, CR, CH, B>(p, items, links, targets, processors);
  });
}

}  // namespace cisolve::rows_product
