#pragma once

#include "hamiltonian/direct/cuda/mixed_multiplier_cuda.cuh"

/// One excitation of each spin: σ_ab += Σ_t ± G_a[t, b'] with G_a[t, b'] = Σ_u V_ut ± c_a'b', u
/// over the single excitations a' of alpha string a. A block does it for one alpha string and the
/// beta strings of a section, whose σ it holds in shared memory, tile by tile of G, which is never
/// in global memory. Its warps have three tasks, each ahead of the next:
///   some load rows of c and lists of targets,
///   some multiply: each keeps its 16 rows of V, as chosen for this alpha string, in registers,
///   others add up σ.
///
/// Of a tile in CAS(16,16), 144 pairs × 32 strings: 2 · 144 · 68 · 32 flops; 68 rows of c, 17 kB,
/// and 10 kB of lists through the cache.
namespace cisolve::mixed_product {

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

/// What a block makes: σ of an alpha string and of a section of the beta strings.
template <int KS>
struct Block {
  const Problem& p;
  const Shared& shared;
  const Target& target;
  Index alpha;
  int section_number;
  Index section_first;
  Index last;  ///< σ is wanted up to this beta string

  static constexpr int loading = 32 * loaders(KS);  ///< threads
  __device__ int multiplying() const { return 32 * p.multiplying; }
  __device__ int adding() const { return 32 * p.adding; }

  /// Calls visit(pass, first row) for all that makes G of the alpha string.
  template <class Visit>
  __device__ void for_each_pass(Visit visit) const {
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
  }
};

/// The task of the warps that load: halves of tiles of c, with the second of a tile its lists.
template <int KS>
__device__ __forceinline__ void load_tiles(const Block<KS>& block) {
  const Problem& p = block.p;
  const int multiplying = block.multiplying(), adding = block.adding();
  constexpr int loading = Block<KS>::loading;
  Slots slots{p.list_slots};
  const int lane = threadIdx.x % 32;
  const int loader = static_cast<int>(threadIdx.x) - multiplying - adding;
  // A lane copies the same two columns of the same rows of each half.
  constexpr int lanes_of_row = half_columns / 2, stride = loading / lanes_of_row;
  constexpr int most_rows = (most_tile_rows + stride - 1) / stride;
  const int column_of_lane = loader % lanes_of_row * 2;
  block.for_each_pass([&](const Pass& pass, int first) {
    const std::int64_t first_tile = std::int64_t{block.section_number} * pass.tiles;
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
      const Rows of_part(p, part, block.alpha, first, 4 * KS);
#pragma unroll
      for (int i = 0; i < most_rows; ++i) {
        const int k = loader / lanes_of_row + i * stride - before;
        if (k < 0 || k >= of_part.size) continue;
        const int u = first + k - of_part.own;
        const Index string = u < 0 ? block.alpha : of_part.list[u].string;
        rows[i] = p.c + part.place + (string - part.first_alpha) * part.ld + column_of_lane;
        columns_left[i] = part.columns - column_of_lane;
        places[i] = place_of_c(part.first_row + k, column_of_lane);
      }
      before += of_part.size;
    }
    // A half is said to be there when the next one has been asked for.
    int asked_for = -1;
    std::uint32_t steps = 1;
    for (Walk walk(pass.tile_from + first_tile, pass.tiles, block.last); steps != 0;
         walk.advance()) {
      const bool there = walk.there();
      const std::int64_t tile = there ? walk.tile : 0;
      for (int half = 0; half < 2; ++half) {
        barrier_sync(c_free + slots.c, multiplying + loading);
        if (half == 0) {
          const bool of_lane =
              there && lane < p.tile_steps && step_from[tile * p.tile_steps + lane] <= block.last;
          steps = __ballot_sync(~0u, of_lane);
          if (loader == 0) block.shared.wanted[slots.four()] = steps;
        } else {
          barrier_sync(lists_free + slots.lists, adding + loading);
          if (there) {
            uint4* const lists = block.shared.lists + slots.lists * block.shared.lists_size;
            const std::uint32_t from = begin[tile], end = begin[tile + 1];
#pragma unroll 4
            for (std::uint32_t i = from + loader; i < end; i += loading) {
              copy_async(lists + (i - from), pass.words + i);
            }
          }
        }
        if (there) {
          const Index column = tile * columns + half * half_columns;
          double* const to = block.shared.c + slots.c * block.shared.c_size;
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
      slots.next_tile();
    }
    wait_for_copies<0>();
    barrier_arrive(c_loaded + asked_for, multiplying + loading);
  });
  for (int slot = 0; slot < 3; ++slot) barrier_sync(c_free + slot, multiplying + loading);
  for (int slot = 0; slot < p.list_slots; ++slot) {
    barrier_sync(lists_free + slot, adding + loading);
  }
}

/// The task of the warps that multiply: tiles of G of those of c.
template <int KS>
__device__ __forceinline__ void multiply_tiles(const Block<KS>& block) {
  const Problem& p = block.p;
  const int multiplying = block.multiplying(), adding = block.adding();
  constexpr int loading = Block<KS>::loading;
  Slots slots{p.list_slots};
  const int warp = threadIdx.x / 32;
  for (int slot = 0; slot < 3; ++slot) barrier_arrive(c_free + slot, multiplying + loading);
  block.for_each_pass([&](const Pass& pass, int first) {
    const Share share(warp, p.multiplying, pass.steps);
    int own_part = 0;
    for (int j = 0; j < pass.parts; ++j) {
      const Part& part = pass.part[j];
      if (part.first_step <= share.step) own_part = j;
      if (!part.identity || first > 0) continue;
      barrier_sync(multipliers, multiplying);  // nobody reads those of the pass before
      for (int t = threadIdx.x; t < part.pairs; t += multiplying) {
        block.shared.own[part.first_step * step_pairs + t] =
            weight_of_itself(part, p.strings[block.alpha], part.first_pair + t);
      }
      barrier_sync(multipliers, multiplying);
    }
    const Part& part = pass.part[own_part];
    const Multiplier<KS> multiplier(part, Rows(p, part, block.alpha, first, 4 * KS),
                                    block.shared.own, share);
    const int c_offset = place_of_c(part.first_row, 0);  // a multiple of four rows
    std::uint32_t steps = 1;
    while (steps != 0) {
      bool wanted = false;
      for (int half = 0; half < 2; ++half) {
        barrier_sync(c_loaded + slots.c, multiplying + loading);
        if (half == 0) {
          steps = block.shared.wanted[slots.four()];
          wanted = share.columns > 0 && (steps >> share.step & 1) != 0;
        }
        const bool own_half =
            wanted && (share.columns == columns || share.first_column / half_columns == half);
        const double* const c = block.shared.c + slots.c * block.shared.c_size + c_offset;
        double* const g = block.shared.g + slots.two() * block.shared.g_size;
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
      slots.next_tile();
    }
  });
  for (int slot = 0; slot < 2; ++slot) barrier_sync(g_free + slot, multiplying + adding);
}

/// The task of the warps that add up: σ, of tiles of G and their lists.
template <int KS>
__device__ __forceinline__ void add_tiles(const Block<KS>& block) {
  const Problem& p = block.p;
  const int multiplying = block.multiplying(), adding = block.adding();
  constexpr int loading = Block<KS>::loading;
  Slots slots{p.list_slots};
  const int warp = threadIdx.x / 32;
  for (int slot = 0; slot < 2; ++slot) barrier_arrive(g_free + slot, multiplying + adding);
  for (int slot = 0; slot < p.list_slots; ++slot) {
    barrier_arrive(lists_free + slot, adding + loading);
  }
  block.for_each_pass([&](const Pass&, int) {
    bool more = true;
    while (more) {
      barrier_sync(g_made + slots.two(), multiplying + adding);
      more = block.shared.wanted[slots.four()] != 0;
      if (more) {
        add_tile(reinterpret_cast<const std::uint32_t*>(block.shared.lists +
                                                        slots.lists * block.shared.lists_size),
                 block.shared.g + slots.two() * block.shared.g_size, warp - p.multiplying, p.adding,
                 block.section_first, block.last, block.shared.sigma);
      }
      barrier_arrive(g_free + slots.two(), multiplying + adding);
      barrier_arrive(lists_free + slots.lists, adding + loading);
      slots.next_tile();
    }
  });
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

  for (Index b = threadIdx.x; b < targets; b += blockDim.x) shared.sigma[b] = 0.0;
  // Numbers, whatever was there: they meet weights of 0 where c has no row or column.
  for (int i = threadIdx.x; i < 3 * shared.c_size; i += blockDim.x) shared.c[i] = 0.0;
  if (threadIdx.x < 2) shared.g[(threadIdx.x + 1) * shared.g_size - 2] = 0.0;
  __syncthreads();

  const Block<KS> block{p, shared, target, alpha, section_number, section_first, last};
  const int warp = threadIdx.x / 32;
  if (warp < p.multiplying) {
    multiply_tiles(block);
  } else if (warp < p.multiplying + p.adding) {
    add_tiles(block);
  } else {
    load_tiles(block);
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
