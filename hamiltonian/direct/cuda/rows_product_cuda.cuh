#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backends/cuda/check.hpp"
#include "hamiltonian/direct/direct_strings.hpp"

/// G := Wᵀ D for many items at once, where the rows of D are rows of a matrix X that a list names,
/// and W is made of that list: they are read where they are and never written as matrices.
namespace cisolve::rows_product {

/// Of item i with links l_0 … l_{k−1}:
///   G_i[t, :] := Σ_k W_kt X[l_k.string, :],  W_kt = s_k V[l_k.pair, t],
/// or, where `both`, t over the links as well, W_kt = s_k s_t V[l_k.pair, l_t.pair]. Where
/// `occupied`, a row comes before those of the links: X[i, :] with the weights V[0, t] +
/// Σ_p V[1 + p, t] over the orbitals p of occupied[i].
struct Problem {
  const double* x;  ///< row r of X at x + (r − first_row) ld
  std::int64_t ld;
  Index first_row;
  Index columns;        ///< of X and G, a multiple of 2 readable, as ld is
  const Offset* begin;  ///< links of item i: begin[i stride] … begin[i stride + 1] − 1
  int stride;
  const PairLink* links;
  const double* v[8];             ///< V, row by row, of pair irrep y
  int pairs[8];                   ///< its columns
  const std::int8_t* irrep;       ///< y of each item; null: 0 of all
  const OrbitalString* occupied;  ///< null: no such row
  bool both;
  /// Not null: which rows of G are wanted of 32 columns (ColumnOrder); others are left as they are.
  const std::int16_t* order;
  const Index* wanted_from;
  int slots;   ///< of `order`
  bool lower;  ///< wanted from an item on; else of all items what is wanted of any
  double* g;   ///< G_i at g + (i − first_item) · item_size, rows of ldg
  std::int64_t ldg, item_size;
  Index first_item;
};

constexpr int warp_columns = 32;
constexpr int step_rows = 16;  ///< of G, that a warp makes together
constexpr int bank_rows = 4;   ///< places s of which rows ≡ s are read, so that banks differ
constexpr Index never = std::numeric_limits<Index>::max();

/// Rows of D as they are padded: whole steps of the matrix instructions.
__host__ __device__ constexpr int padded(int k) {
  return (k + 3) / 4 * 4;
}

/// C += A B of a warp, 16 × 4 times 4 × 8: lane 4 g + t has A[g, t], A[g + 8, t], B[t, g] and
/// C[g, 2t], C[g, 2t + 1], C[g + 8, 2t], C[g + 8, 2t + 1].
__device__ inline void multiply_add(double (&c)[4], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(b));
#elif __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a0), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[2]), "+d"(c[3])
      : "d"(a1), "d"(b));
#else
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  for (int k = 0; k < 4; ++k) {
    const double low = __shfl_sync(~0u, a0, 4 * g + k), high = __shfl_sync(~0u, a1, 4 * g + k);
    for (int e = 0; e < 2; ++e) {
      const double other = __shfl_sync(~0u, b, 4 * (2 * t + e) + k);
      c[e] += low * other;
      c[2 + e] += high * other;
    }
  }
#endif
}

/// 16 bytes, or zeros, to shared memory, in the background.
__device__ inline void copy_async(double* to, const double* from, bool wanted) {
#if __CUDA_ARCH__ >= 800
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from),
               "r"(wanted ? 16 : 0));
#else
  *reinterpret_cast<double2*>(to) =
      wanted ? *reinterpret_cast<const double2*>(from) : make_double2(0.0, 0.0);
#endif
}
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
#endif
}
template <int Pending>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending));
#endif
}

/// A block has MW × NW warps; a warp has 16 MT rows t of G and 32 columns. Of the rows of X CR are
/// in flight together, CH times. Grid: items × parts of the columns × parts of t. B blocks share a
/// processor, so that some multiply while others write.
template <int MW, int MT, int NW, int CR, int CH, int B>
__global__ void __launch_bounds__(MW* NW * 32, B) multiply(Problem p) {
  constexpr int chunk_rows = CR, chunks = CH;
  constexpr int rows_t = MW * MT * 16, ldw = rows_t + 4;  // ≡ 4 mod 16: no two lanes share a bank
  constexpr int width = NW * warp_columns, ldd = width + 4;
  constexpr int threads = MW * NW * 32;
  extern __shared__ double shared[];
  const Index item = p.first_item + blockIdx.x;
  const Offset begin = p.begin[Offset{item} * p.stride];
  const int links = static_cast<int>(p.begin[Offset{item} * p.stride + 1] - begin);
  const int own = p.occupied != nullptr ? 1 : 0;
  const int k_size = links + own, k_padded = padded(k_size);
  const int y = p.irrep != nullptr ? p.irrep[item] : 0;
  const double* const v = p.v[y];
  const int pairs = p.pairs[y], t_size = p.both ? links : pairs;
  const int t_first = blockIdx.z * rows_t;
  if (t_first >= t_size) return;
  if (k_size == 0) {
    double* const g = p.g + static_cast<std::int64_t>(blockIdx.x) * p.item_size;
    for (int t = t_first; t < min(t_first + rows_t, t_size); ++t) {
      for (Index c = blockIdx.y * threads + threadIdx.x; c < p.columns; c += gridDim.y * threads) {
        g[t * p.ldg + c] = 0.0;
      }
    }
    return;
  }
  double* const w = shared;
  double* const d = shared + k_padded * ldw;
  auto* const places = reinterpret_cast<std::int64_t*>(d + chunks * chunk_rows * ldd);
  const PairLink* const list = p.links + begin;

  for (int i = threadIdx.x; i < k_padded * rows_t; i += threads) {
    const int k = i / rows_t, t = t_first + i % rows_t;
    double weight = 0.0;
    if (k < k_size && t < t_size) {
      if (k < own) {
        weight = v[t];
        for (OrbitalString s = p.occupied[item]; s != 0; s &= s - 1) {
          weight += v[static_cast<std::int64_t>(__ffsll(static_cast<long long>(s))) * pairs + t];
        }
      } else {
        const PairLink of_k = list[k - own];
        const PairLink of_t = p.both ? list[t] : PairLink{0, static_cast<std::int16_t>(t), 1};
        weight = of_k.sign * of_t.sign * v[of_k.pair * std::int64_t{pairs} + of_t.pair];
      }
    }
    w[k * ldw + i % rows_t] = weight;
  }

  for (int k = threadIdx.x; k < k_size; k += threads) {
    places[k] = ((k < own ? item : list[k - own].string) - p.first_row) * p.ld;
  }
  __syncthreads();

  const int tiles = (p.columns + width - 1) / width;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
  const int first_step = warp / NW, n_warp = warp % NW * warp_columns;
  const int steps = MW * MT, all_steps = p.slots / step_rows;
  const Index from_item = p.lower ? item : never - 1;
  const auto column_block = [&](int column) { return min(column, p.columns - 1) / warp_columns; };
  // From which item on anything is wanted of a step of rows of this block's and a warp's columns.
  const auto wanted_from = [&](int step, int column) {
    if (column >= p.columns) return never;
    if (p.order == nullptr) return t_first + step * step_rows < t_size ? 0 : never;
    const int of_all = blockIdx.z * steps + step;
    return p.wanted_from[column_block(column) * all_steps + of_all];
  };
  // This block's tiles of which anything is wanted, 32 looked at together.
  struct Walk {
    int tile = -1, first = 0;
    unsigned left = 0;  // of the tiles from first on, gridDim.y apart
  };
  const auto advance = [&](Walk& walk) {
    while (walk.left == 0) {
      walk.first = walk.tile < 0 ? blockIdx.y : walk.first + 32 * gridDim.y;
      walk.tile = tiles;
      if (walk.first >= tiles) return;
      const int tile = walk.first + lane * gridDim.y;
      // The first step of a block's has what is wanted from the lowest item on.
      Index lowest = never;
#pragma unroll
      for (int i = 0; i < NW && tile < tiles; ++i) {
        lowest = min(lowest, wanted_from(0, tile * width + i * warp_columns));
      }
      walk.left = __ballot_sync(~0u, lowest <= from_item);
    }
    walk.tile = walk.first + (__ffs(walk.left) - 1) * gridDim.y;
    walk.left &= walk.left - 1;
  };
  // What is to be known of a tile's rows in `order`, as it lies in memory: who asks for it does not
  // wait until it is looked at. Of a step, from which item on it is wanted, and a lane's two rows.
  struct Order {
    Index from[MT];
    std::int16_t row[MT][2];
  };
  const auto order_of = [&](int tile) {
    Order order{};
    if (p.order == nullptr) return order;
    const std::int64_t block = column_block(tile * width + n_warp);
    const Index* const from = p.wanted_from + block * all_steps + blockIdx.z * steps + first_step;
    const std::int16_t* const rows =
        p.order + block * p.slots + t_first + first_step * step_rows + g;
#pragma unroll
    for (int i = 0; i < MT; ++i) {
      order.from[i] = from[i * MW];
      order.row[i][0] = rows[i * MW * step_rows];
      order.row[i][1] = rows[i * MW * step_rows + 8];
    }
    return order;
  };

  // Copies run ahead of the products, across tiles.
  Walk ahead;
  advance(ahead);
  int fetch_row = 0;
  const auto fetch = [&](int slot) {
    if (ahead.tile < tiles) {
      const int column = ahead.tile * width;
      double* const to = d + slot * (chunk_rows * ldd);
      for (int i = threadIdx.x; i < chunk_rows * (width / 2); i += threads) {
        const int r = i / (width / 2), c = i % (width / 2) * 2, k = fetch_row + r;
        const bool there = k < k_size && column + c < p.columns;
        copy_async(to + r * ldd + c, there ? p.x + places[k] + column + c : p.x, there);
      }
      fetch_row += chunk_rows;
      if (fetch_row >= k_padded) {
        fetch_row = 0;
        advance(ahead);
      }
    }
    commit_copies();
  };

  int slot = 0;
  for (int q = 0; q < chunks - 1; ++q) fetch(q);
  Walk here;
  advance(here);
  Order order = order_of(here.tile);
  while (here.tile < tiles) {
    const int tile = here.tile;
    double sum[MT][4][4] = {};
    bool wanted[MT];
    int row[MT][2];                // t − t_first; −1: none
    const double* weights[MT][2];  // of the next rows k of D
#pragma unroll
    for (int i = 0; i < MT; ++i) {
      const int step = i * MW + first_step;
      const bool there = tile * width + n_warp < p.columns;
      wanted[i] = there && (p.order == nullptr ? t_first + step * step_rows < t_size
                                               : order.from[i] <= from_item);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int place = step * step_rows + 8 * half + g;
        row[i][half] = p.order != nullptr         ? order.row[i][half] - t_first
                       : t_first + place < t_size ? place
                                                  : -1;
        weights[i][half] = w + t4 * ldw + (row[i][half] < 0 ? place % bank_rows : row[i][half]);
      }
    }
    advance(here);
    order = order_of(here.tile);
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
          a[i][0] = weights[i][0][step * ldw];
          a[i][1] = weights[i][1][step * ldw];
        }
#pragma unroll
        for (int i = 0; i < MT; ++i) {
          if (!wanted[i]) continue;
#pragma unroll
          for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], a[i][0], a[i][1], b[j]);
        }
      }
#pragma unroll
      for (int i = 0; i < MT; ++i) {
        weights[i][0] += chunk_rows * ldw;
        weights[i][1] += chunk_rows * ldw;
      }
      slot = slot == chunks - 1 ? 0 : slot + 1;
    }
    const int column = tile * width + n_warp + 2 * t4;
    double* const to = p.g + static_cast<std::int64_t>(blockIdx.x) * p.item_size;
#pragma unroll
    for (int i = 0; i < MT; ++i) {
      if (!wanted[i]) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (row[i][half] < 0) continue;
        double* const place = to + (t_first + row[i][half]) * p.ldg + column;
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

/// All that the device has for a block, whoever sets it last: other threads may launch meanwhile.
inline void allow_shared_memory(const void* kernel) {
  int device = 0, most = 0;
  check_cuda(cudaGetDevice(&device), "reading the device");
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
             "reading its properties");
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             "shared memory of a product of rows");
}

template <int MW, int MT, int NW, int CR, int CH, int B>
void launch(const Problem& p, Index items, int t_size, int k_size, int processors) {
  constexpr int rows_t = MW * MT * 16;
  const std::size_t bytes =
      sizeof(double) * (padded(k_size) * (rows_t + 4) + CH * CR * (NW * warp_columns + 4) + k_size);
  const auto kernel = multiply<MW, MT, NW, CR, CH, B>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  const int tiles = (p.columns + NW * warp_columns - 1) / (NW * warp_columns);
  // Every block takes many tiles where there are many items, for W is made anew in each.
  const int parts = std::clamp(8 * B * processors / std::max<int>(items, 1), 1, tiles);
  const dim3 grid(items, parts, (t_size + rows_t - 1) / rows_t);
  kernel<<<grid, MW * NW * 32, bytes>>>(p);
  check_launch("product of rows");
}

/// Calls visit with the shape of blocks for products of t_size rows and k_size links at most;
/// measured on an H200.
template <class Visit>
void with_shape(int t_size, int k_size, Visit visit) {
  if (t_size <= 16) return visit.template operator()<1, 1, 4, 16, 3, 1>();
  if (t_size <= 32) return visit.template operator()<1, 2, 4, 16, 3, 1>();
  if (t_size <= 48) return visit.template operator()<1, 3, 4, 16, 3, 1>();
  if (k_size > 170) return visit.template operator()<1, 3, 4, 8, 4, 1>();
  if (t_size <= 64) return visit.template operator()<2, 2, 4, 16, 3, 1>();
  if (t_size <= 96) return visit.template operator()<1, 3, 4, 8, 4, 3>();
  if (t_size <= 128 && k_size <= 100) return visit.template operator()<4, 2, 2, 16, 3, 2>();
  if (t_size <= 144 && k_size <= 100) return visit.template operator()<3, 3, 4, 16, 3, 1>();
  return visit.template operator()<1, 3, 4, 8, 4, 3>();
}

/// Rows t of which a block has the weights together.
inline int section_rows(int t_size, int k_size) {
  int rows = 0;
  with_shape(t_size, k_size,
             [&]<int MW, int MT, int NW, int CR, int CH, int B>() { rows = MW * MT * step_rows; });
  return rows;
}

/// G of `items` items from first_item on, of at most k_size rows and t_size columns each.
inline void run(const Problem& p, Index items, int t_size, int k_size, int processors) {
  if (items == 0 || t_size == 0 || k_size == 0 || p.columns == 0) return;
  with_shape(t_size, k_size, [&]<int MW, int MT, int NW, int CR, int CH, int B>() {
    launch<MW, MT, NW, CR, CH, B>(p, items, t_size, k_size, processors);
  });
}

}  // namespace cisolve::rows_product
