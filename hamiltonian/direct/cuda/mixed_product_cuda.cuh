#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "hamiltonian/direct/cuda/matrix_instructions.cuh"
#include "hamiltonian/direct/target_tiles.hpp"

/// One excitation of each spin: σ_ab += Σ_t ± G_a[t, b'] with G_a[t, b'] = Σ_u V_ut ± c_a'b', u
/// over the single excitations a' of alpha string a. A block does it for one alpha string and the
/// beta strings of a section, whose σ it holds in shared memory, tile by tile of G, which is never
/// in global memory. Its warps have three tasks, each ahead of the next:
///   some load rows of c and lists of targets,
///   some multiply: each keeps its 16 rows of V, as chosen for this alpha string, in registers,
///   others add up σ.
///
/// Of a tile in CAS(16,16), 144 pairs × 32 strings: 2 · 144 · 68 · 32 flops; 68 rows of c, 17 kB,
/// and 7 kB of lists through the cache.
namespace cisolve::mixed_product {

/// Alpha strings of irrep g.
struct Target {
  double* sigma;  ///< of the first of both strings; rows of ld
  std::int64_t ld;
  Index first_alpha;
  Index first_beta, betas;
  int first_pass, end_pass;
};

/// Pairs of irrep h and alpha strings of irrep g: TargetTiles::Part and what its rows of c are.
struct Part {
  int irrep;
  int first_pair, pairs;
  int first_step, steps;
  int first_row;       ///< of c, in a slot
  std::int64_t place;  ///< row a of c at place + (a − first_alpha) ld
  std::int64_t ld;
  Index first_alpha;
  Index columns;  ///< of c, padded to an even number
  const double* v;
  int all_pairs;  ///< rows of V
  bool identity;  ///< X_0 is among the pairs of the irrep, and the pairs of one orbital behind it
};

/// What a block makes together, a tile after another.
struct Pass {
  int parts, steps;
  Part part[most_irreps];
  Index tiles;
  const Index *step_from, *tile_from;
  const std::uint32_t* begin;
  const uint4* words;
};

struct Problem {
  const double* c;
  Target targets[most_irreps];
  const Pass* passes;
  const std::int8_t* irrep_of;
  const OrbitalString* strings;
  const Offset* links_begin;  ///< of (alpha string, pair irrep)
  const PairLink* links;
  Index last_alpha;         ///< blocks take alpha strings from this one down
  bool lower;               ///< σ_ab for b ≤ a alone, half of it for b = a
  Index section;            ///< beta strings of a section
  int tile_steps;           ///< room of a tile of G
  int tile_rows;            ///< room of a tile of c
  int list_words;           ///< room for the lists of a tile
  int multiplying, adding;  ///< warps
};

constexpr int columns = TargetTiles::columns, step_pairs = TargetTiles::step_pairs;
/// c comes in halves of a tile; no two lanes of a product share a bank.
constexpr int half_columns = columns / 2, ldc = half_columns + 4;
/// Rows of c in a tile, where a part alone has not more.
constexpr int most_tile_rows = 96;

/// Most threads of a block that has KS steps of four rows of c and V, and the warps that load.
constexpr int most_threads(int ks) {
  return ks <= 17 ? 512 : 384;
}
CISOLVE_HOST_DEVICE constexpr int loaders(int ks) {
  return ks <= 17 ? 3 : 2;
}

/// Tiles go from task to task in slots: two of G, two of lists, three of halves of a tile of c.
enum Barrier { multipliers = 1, g_made = 2, g_free = 4, lists_free = 6, c_loaded = 8, c_free = 11 };

/// Doubles of shared memory by what they are for.
struct Memory {
  __host__ __device__ explicit Memory(const Problem& p)
      : sigma((p.section + 1) / 2 * 2),
        g(TargetTiles::zero_place(p.tile_steps) + 2),
        c((p.tile_rows + 12) * ldc),  // a product goes to 16 rows at once
        lists((p.list_words + 3) / 4 * 2),
        own(p.tile_steps * step_pairs) {}
  Index sigma;
  int g;      ///< two
  int c;      ///< three
  int lists;  ///< two
  int own;
  __host__ __device__ std::int64_t bytes() const {
    return sizeof(double) * (sigma + 2 * g + 3 * c + 2 * lists + std::int64_t{own} + 2);
  }
};

/// Shared memory.
struct Shared {
  __device__ Shared(double2* memory, const Memory& sizes)
      : sigma(reinterpret_cast<double*>(memory)),
        g(sigma + sizes.sigma),
        c(g + 2 * sizes.g),
        lists(reinterpret_cast<uint4*>(c + 3 * sizes.c)),
        own(c + 3 * sizes.c + 2 * sizes.lists),
        wanted(reinterpret_cast<std::uint32_t*>(own + sizes.own)),
        g_size(sizes.g),
        c_size(sizes.c),
        lists_size(sizes.lists / 2) {}
  double *sigma, *g, *c;
  uint4* lists;
  double* own;  ///< weights of c of the alpha string itself
  /// Of four tiles in turns: the steps of pairs that are wanted, a bit each; 0: there are no more
  /// of this pass.
  std::uint32_t* wanted;
  int g_size, c_size, lists_size;
};

/// The slots of a tile and of its next half, which every warp counts for itself.
struct Slots {
  int tile = 0, c = 0;
  __device__ int two() const { return tile % 2; }
  __device__ int four() const { return tile % 4; }
  __device__ void next_half() { c = c == 2 ? 0 : c + 1; }
};

/// The tiles of which anything is wanted, in order, 32 looked at together.
struct Walk {
  const Index* from;
  Index tiles, last;  ///< wanted: from ≤ last
  Index tile = -1, first = -32;
  unsigned left = 0;

  __device__ Walk(const Index* from, Index tiles, Index last)
      : from(from), tiles(tiles), last(last) {
    advance();
  }
  __device__ bool there() const { return tile < tiles; }
  __device__ void advance() {
    while (left == 0) {
      first += 32;
      tile = tiles;
      if (first >= tiles) return;
      const Index looked_at = first + static_cast<Index>(threadIdx.x % 32);
      left = __ballot_sync(~0u, looked_at < tiles && from[looked_at] <= last);
    }
    tile = first + __ffs(left) - 1;
    left &= left - 1;
  }
};

/// What a warp multiplies: rows of one step of pairs with some of a tile's columns. Where there are
/// warps enough the four schedulers of a processor have the same to do: whole steps by four warps
/// each, and what is left of them by parts of the columns.
struct Share {
  int step, first_column = 0, columns = mixed_product::columns;
  __device__ Share(int warp, int warps, int steps) : step(warp) {
    const int whole = steps / 4 * 4, left = steps - whole, w = warp - whole;
    if (w >= 0 && left == 1 && warps >= whole + 4) {
      step = whole, first_column = 8 * w, columns = w < 4 ? 8 : 0;
    } else if (w >= 0 && left == 2 && warps >= whole + 4) {
      step = whole + w / 2, first_column = 16 * (w % 2), columns = w < 4 ? 16 : 0;
    } else if (warp >= steps) {
      columns = 0;
    }
  }
};

/// Rows of c that make G of one alpha string and the pairs of an irrep: from one on, as many as are
/// multiplied at once.
struct Rows {
  const PairLink* list;
  int own;  ///< 1: c of the string itself comes before those of its excitations
  int first, size;
  __device__ Rows(const Problem& p, const Part& part, Index alpha, int first, int most)
      : own(part.identity ? 1 : 0), first(first) {
    const Offset* const begin = p.links_begin + Offset{alpha} * most_irreps + part.irrep;
    list = p.links + begin[0];
    all_ = static_cast<int>(begin[1] - begin[0]) + own;
    size = max(0, min(most, all_ - first));
  }
  __device__ bool more() const { return first + size < all_; }

 private:
  int all_;
};

/// V_0t + Σ_p V_pp,t over the orbitals of the string: what c of the string itself adds to G_t.
__device__ inline double weight_of_itself(const Part& part, OrbitalString string, int t) {
  double sum = part.v[t];
  for (OrbitalString s = string; s != 0; s &= s - 1) {
    const int p = __ffsll(static_cast<long long>(s)) - 1;
    sum += part.v[(1 + p) * std::int64_t{part.all_pairs} + t];
  }
  return sum;
}

template <int KS>
class Multiplier {
 public:
  /// `own`: weights of the row of the string itself, of the pairs of a tile.
  __device__ Multiplier(const Part& part, const Rows& rows, const double* own, const Share& share)
      : share_(share), size_(rows.size) {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
    const int place = share.step * step_pairs + g, t = place - part.first_step * step_pairs;
    const int left = share.columns > 0 ? part.pairs - t : 0;
    const double* const v = part.v + part.first_pair + t;
#pragma unroll
    for (int s = 0; s < KS; ++s) {
      v_[s][0] = v_[s][1] = 0.0;
      const int k = 4 * s + t4, u = rows.first + k - rows.own;
      if (k >= rows.size || left <= 0) continue;
      if (u < 0) {
        v_[s][0] = own[place];
        if (left > 8) v_[s][1] = own[place + 8];
      } else {
        const PairLink link = rows.list[u];
        const double* const of_u = v + link.pair * std::int64_t{part.all_pairs};
        v_[s][0] = link.sign * of_u[0];
        if (left > 8) v_[s][1] = link.sign * of_u[8];
      }
    }
  }

  /// G of columns [first, first + 8 N) of half a tile, of its rows of c.
  template <int N>
  __device__ void multiply(const double* c, int first, double (&sum)[N][4]) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
    const double* const from = c + t4 * ldc + first + g;
    const int steps = (size_ + 3) / 4;
#pragma unroll
    for (int s = 0; s < KS; ++s) {
      if (s % 4 == 0 && s >= steps) break;
#pragma unroll
      for (int j = 0; j < N; ++j) {
        multiply_add(sum[j], v_[s][0], v_[s][1], from[4 * s * ldc + 8 * j]);
      }
    }
  }

  template <int N>
  __device__ void store(double* g_tile, int first, const double (&sum)[N][4]) const {
    const int lane = threadIdx.x % 32, g = lane / 4, t4 = lane % 4;
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int t = share_.step * step_pairs + 8 * half + g;
        *reinterpret_cast<double2*>(g_tile + TargetTiles::place(t, first + 8 * j + 2 * t4)) =
            make_double2(sum[j][2 * half], sum[j][2 * half + 1]);
      }
    }
  }

 private:
  Share share_;
  int size_;
  double v_[KS][2];
};

/// Σ of the two elements of G that a word of a list names.
__device__ inline double both(const double* g, std::uint32_t two) {
  const double first = g[two & 0x7fff], second = g[two >> 16 & 0x7fff];
  return __hiloint2double(__double2hiint(first) ^ static_cast<int>(two << 16 & 0x80000000u),
                          __double2loint(first)) +
         __hiloint2double(__double2hiint(second) ^ static_cast<int>(two & 0x80000000u),
                          __double2loint(second));
}

/// Adds what the lists of a tile take of G to σ of the section, up to target `last`: a lane does so
/// for two targets together.
__device__ inline void add_tile(const std::uint32_t* lists, const double* g, int warp, int warps,
                                Index section_first, Index last, double* sigma) {
  const int lane = threadIdx.x % 32;
  const auto chunks = static_cast<int>(lists[0]);
  const auto* const heads = reinterpret_cast<const uint2*>(lists + 2);
  const std::uint32_t* const targets = lists + 2 + 2 * chunks + lane;
  const auto* const elements = reinterpret_cast<const uint2*>(lists + 2 + 34 * chunks) + lane;
  for (int c = warp; c < chunks; c += warps) {
    const uint2 head = heads[c];
    if (static_cast<Index>(head.y) > last) continue;
    const std::uint32_t two = targets[32 * c];
    const auto first = static_cast<Index>(two & 0xffff), second = static_cast<Index>(two >> 16);
    const uint2* list = elements + 32 * (head.x >> 16);
    double first_sum = 0.0, second_sum = 0.0;
#pragma unroll 2
    for (int r = head.x & 0xffff; r > 0; --r, list += 32) {
      const uint2 of_both = *list;
      first_sum += both(g, of_both.x);
      second_sum += both(g, of_both.y);
    }
    if (first != 0xffff && section_first + first <= last) sigma[first] += first_sum;
    if (second != 0xffff && section_first + second <= last) sigma[second] += second_sum;
  }
}

/// Grid: alpha strings × sections.
template <int KS>
__global__ void __launch_bounds__(most_threads(KS), 1) multiply(const Problem p) {
  extern __shared__ double2 memory[];
  const Shared shared(memory, Memory(p));
  const Index alpha = p.last_alpha - static_cast<Index>(blockIdx.x);
  const Target& target = p.targets[p.irrep_of[alpha]];
  const auto section_number = static_cast<int>(blockIdx.y);
  const Index section_first = target.first_beta + section_number * p.section;
  const Index targets = min(p.section, target.first_beta + target.betas - section_first);
  const Index last = p.lower ? alpha : TargetTiles::none - 1;
  if (targets <= 0 || section_first > last) return;

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int multiplying = 32 * p.multiplying, adding = 32 * p.adding;
  constexpr int loading = 32 * loaders(KS);
  for (Index b = threadIdx.x; b < targets; b += blockDim.x) shared.sigma[b] = 0.0;
  // Numbers, whatever was there: they meet weights of 0 where c has no row or column.
  for (int i = threadIdx.x; i < 3 * shared.c_size; i += blockDim.x) shared.c[i] = 0.0;
  if (threadIdx.x < 2) shared.g[(threadIdx.x + 1) * shared.g_size - 2] = 0.0;
  __syncthreads();

  // Calls visit(pass, first row) for all that makes G of this alpha string.
  const auto for_each_pass = [&](auto visit) {
    for (int i = target.first_pass; i < target.end_pass; ++i) {
      const Pass& pass = p.passes[i];
      bool more = true;
      for (int first = 0; more; first += 4 * KS) {
        more = false;
        for (int j = 0; j < pass.parts; ++j) {
          more |= Rows(p, pass.part[j], alpha, first, 4 * KS).more();
        }
        visit(pass, first);
      }
    }
  };
  Slots slots;
  if (warp < p.multiplying) {
    for (int slot = 0; slot < 3; ++slot) barrier_arrive(c_free + slot, multiplying + loading);
    for_each_pass([&](const Pass& pass, int first) {
      const Share share(warp, p.multiplying, pass.steps);
      int own_part = 0;
      for (int j = 0; j < pass.parts; ++j) {
        const Part& part = pass.part[j];
        if (part.first_step <= share.step) own_part = j;
        if (!part.identity || first > 0) continue;
        barrier_sync(multipliers, multiplying);  // nobody reads those of the pass before
        for (int t = threadIdx.x; t < part.pairs; t += multiplying) {
          shared.own[part.first_step * step_pairs + t] =
              weight_of_itself(part, p.strings[alpha], part.first_pair + t);
        }
        barrier_sync(multipliers, multiplying);
      }
      const Part& part = pass.part[own_part];
      const Multiplier<KS> multiplier(part, Rows(p, part, alpha, first, 4 * KS), shared.own, share);
      const int c_offset = part.first_row * ldc;
      std::uint32_t steps = 1;
      while (steps != 0) {
        bool wanted = false;
        for (int half = 0; half < 2; ++half) {
          barrier_sync(c_loaded + slots.c, multiplying + loading);
          if (half == 0) {
            steps = shared.wanted[slots.four()];
            wanted = share.columns > 0 && (steps >> share.step & 1) != 0;
          }
          const bool own_half =
              wanted && (share.columns == columns || share.first_column / half_columns == half);
          const double* const c = shared.c + slots.c * shared.c_size + c_offset;
          double* const g = shared.g + slots.two() * shared.g_size;
          const int column = share.first_column % half_columns;
          const auto make = [&](auto& sum) {
            if (own_half) multiplier.multiply(c, column, sum);
            if (half == 0) barrier_sync(g_free + slots.two(), multiplying + adding);
            if (own_half) multiplier.store(g, half * half_columns + column, sum);
          };
          if (share.columns == 8) {
            double sum[1][4] = {};
            make(sum);
          } else {
            double sum[2][4] = {};
            make(sum);
          }
          barrier_arrive(c_free + slots.c, multiplying + loading);
          slots.next_half();
        }
        barrier_arrive(g_made + slots.two(), multiplying + adding);
        ++slots.tile;
      }
    });
    for (int slot = 0; slot < 2; ++slot) barrier_sync(g_free + slot, multiplying + adding);
  } else if (warp < p.multiplying + p.adding) {
    for (int slot = 0; slot < 2; ++slot) {
      barrier_arrive(g_free + slot, multiplying + adding);
      barrier_arrive(lists_free + slot, adding + loading);
    }
    for_each_pass([&](const Pass&, int) {
      bool more = true;
      while (more) {
        barrier_sync(g_made + slots.two(), multiplying + adding);
        more = shared.wanted[slots.four()] != 0;
        if (more) {
          add_tile(reinterpret_cast<const std::uint32_t*>(shared.lists +
                                                          slots.two() * shared.lists_size),
                   shared.g + slots.two() * shared.g_size, warp - p.multiplying, p.adding,
                   section_first, last, shared.sigma);
        }
        barrier_arrive(g_free + slots.two(), multiplying + adding);
        barrier_arrive(lists_free + slots.two(), adding + loading);
        ++slots.tile;
      }
    });
  } else {
    const int loader = static_cast<int>(threadIdx.x) - multiplying - adding;
    // A lane copies the same two columns of the same rows of each half.
    constexpr int lanes_of_row = half_columns / 2, stride = loading / lanes_of_row;
    constexpr int most_rows = (most_tile_rows + stride - 1) / stride;
    const int column_of_lane = loader % lanes_of_row * 2;
    for_each_pass([&](const Pass& pass, int first) {
      const std::int64_t first_tile = std::int64_t{section_number} * pass.tiles;
      const Index* const step_from = pass.step_from + first_tile * p.tile_steps;
      const std::uint32_t* const begin = pass.begin + first_tile;
      const double* rows[most_rows];  // null: none
      Index columns_left[most_rows];  // of this lane's first column on
      int places[most_rows];
#pragma unroll
      for (int i = 0; i < most_rows; ++i) rows[i] = nullptr;
      int before = 0;  // rows of the parts before
      for (int j = 0; j < pass.parts; ++j) {
        const Part& part = pass.part[j];
        const Rows of_part(p, part, alpha, first, 4 * KS);
#pragma unroll
        for (int i = 0; i < most_rows; ++i) {
          const int k = loader / lanes_of_row + i * stride - before;
          if (k < 0 || k >= of_part.size) continue;
          const int u = first + k - of_part.own;
          const Index string = u < 0 ? alpha : of_part.list[u].string;
          rows[i] = p.c + part.place + (string - part.first_alpha) * part.ld + column_of_lane;
          columns_left[i] = part.columns - column_of_lane;
          places[i] = (part.first_row + k) * ldc + column_of_lane;
        }
        before += of_part.size;
      }
      // A half is said to be there when the next one has been asked for.
      int asked_for = -1;
      std::uint32_t steps = 1;
      for (Walk walk(pass.tile_from + first_tile, pass.tiles, last); steps != 0; walk.advance()) {
        const bool there = walk.there();
        const std::int64_t tile = there ? walk.tile : 0;
        for (int half = 0; half < 2; ++half) {
          barrier_sync(c_free + slots.c, multiplying + loading);
          if (half == 0) {
            const bool of_lane =
                there && lane < p.tile_steps && step_from[tile * p.tile_steps + lane] <= last;
            steps = __ballot_sync(~0u, of_lane);
            if (loader == 0) shared.wanted[slots.four()] = steps;
          } else {
            barrier_sync(lists_free + slots.two(), adding + loading);
            if (there) {
              uint4* const lists = shared.lists + slots.two() * shared.lists_size;
              const std::uint32_t from = begin[tile], end = begin[tile + 1];
#pragma unroll 4
              for (std::uint32_t i = from + loader; i < end; i += loading) {
                copy_async(lists + (i - from), pass.words + i);
              }
            }
          }
          if (there) {
            const Index column = tile * columns + half * half_columns;
            double* const to = shared.c + slots.c * shared.c_size;
#pragma unroll
            for (int i = 0; i < most_rows; ++i) {
              if (rows[i] != nullptr && column < columns_left[i]) {
                copy_async(to + places[i], rows[i] + column);
              }
            }
          }
          commit_copies();
          if (asked_for >= 0) {
            wait_for_copies<1>();
            barrier_arrive(c_loaded + asked_for, multiplying + loading);
          }
          asked_for = slots.c;
          slots.next_half();
        }
        ++slots.tile;
      }
      wait_for_copies<0>();
      barrier_arrive(c_loaded + asked_for, multiplying + loading);
    });
    for (int slot = 0; slot < 3; ++slot) barrier_sync(c_free + slot, multiplying + loading);
    for (int slot = 0; slot < 2; ++slot) barrier_sync(lists_free + slot, adding + loading);
  }
  __syncthreads();
  double* const row =
      target.sigma + (alpha - target.first_alpha) * target.ld + (section_first - target.first_beta);
  for (Index b = threadIdx.x; b < targets; b += blockDim.x) {
    if (section_first + b > last) break;
    const double added = shared.sigma[b];
    row[b] += p.lower && section_first + b == alpha ? 0.5 * added : added;
  }
}

}  // namespace cisolve::mixed_product
