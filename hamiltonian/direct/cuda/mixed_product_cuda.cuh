#pragma once

#include "hamiltonian/direct/cuda/mixed_multiplier_cuda.cuh"

/// One excitation of each spin: σ_ab += Σ_t ± G_a[t, b'] with G_a[t, b'] = Σ_u V_ut ± c_a'b', u
/// over the single excitations a' of alpha string a. A block takes one alpha string and the beta
/// strings of a section, and holds their σ in shared memory. It goes tile by tile of G, which is
/// never in global memory. Its warps have three tasks, each ahead of the next:
///   some load rows of c and lists of targets,
///   some multiply: each keeps its 16 rows of V, as chosen for this alpha string, in registers,
///   others add up σ.
///
/// Costs of a tile in CAS(16,16), 144 pairs × 32 strings: 2 · 144 · 68 · 32 flops; 68 rows of c,
/// 17 kB, and 10 kB of lists through the cache.
namespace cisolve::mixed_product {

/// The element of G that the low 16 bits name.
__device__ inline double element(const double* g, std::uint32_t name) {
  const double value = g[name & 0x7fff];
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(name << 16 & 0x80000000u),
                          __double2loint(value));
}

/// Adds what the lists of a tile take of G to σ of the section, up to target `last`: a lane does so
/// for two targets together. Calls before() when it first touches σ.
template <class Before>
__device__ inline void add_tile(const std::uint32_t* lists, int adders, const double* g, int adder,
                                Index section_first, Index last, double* sigma, Before before) {
  constexpr int header = TargetTiles::most_adders + 1;
  const int lane = threadIdx.x % 32;
  const auto chunks = static_cast<int>(lists[adders]), end = static_cast<int>(lists[adder + 1]);
  const auto* const heads = reinterpret_cast<const uint2*>(lists + header);
  const std::uint32_t* const targets = lists + header + 2 * chunks + lane;
  const std::uint32_t* const elements = lists + header + 34 * chunks + lane;
  auto c = static_cast<int>(lists[adder]);
  if (c == end) return;
  uint2 next_head = heads[c];
  std::uint32_t next_two = targets[32 * c];
  before();
  while (c < end) {
    const uint2 head = next_head;
    const std::uint32_t two = next_two;
    if (++c < end) {
      next_head = heads[c];
      next_two = targets[32 * c];
    }
    if (static_cast<Index>(head.y) > last) continue;
    const auto first = static_cast<Index>(two & 0xffff), second = static_cast<Index>(two >> 16);
    const bool has_first = first != 0xffff && section_first + first <= last;
    const bool has_second = second != 0xffff && section_first + second <= last;
    const int first_rows = head.x & 0xff, both_rows = head.x >> 8 & 0xff;
    const std::uint32_t* list = elements + 32 * (head.x >> 16);
    double first_sum = has_first ? sigma[first] : 0.0;
    double second_sum = has_second ? sigma[second] : 0.0;
    int r = 0;
#pragma unroll 2
    for (; r < both_rows; ++r, list += 32) {
      first_sum += element(g, *list);
      second_sum += element(g, *list >> 16);
    }
#pragma unroll 4
    for (; r < first_rows; ++r, list += 32) first_sum += element(g, *list);
    if (has_first) sigma[first] = first_sum;
    if (has_second) sigma[second] = second_sum;
  }
}

/// Once for all lanes, when each has done its part.
__device__ inline void arrive_as_warp(Handover& handover) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) handover.arrive();
}

/// Result of a block: σ of an alpha string and of a section of the beta strings.
template <int KS>
struct Block {
  const Problem& p;
  const Shared& shared;
  const Target& target;
  Index alpha;
  int section_number;
  Index section_first;
  Index last;  ///< σ is wanted up to this beta string

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
  AllHandovers& handovers = *block.shared.handovers;
  constexpr int loading = 32 * loaders(KS);
  Slots slots(p);
  const int lane = threadIdx.x % 32;
  const int loader = static_cast<int>(threadIdx.x) - 32 * (p.multiplying + p.adding);
  // A lane copies the same two columns of the same rows of each half.
  constexpr int lanes_of_row = half_columns / 2, rows_together = loading / lanes_of_row;
  constexpr int most_rows = most_tile_rows / rows_together;
  static_assert(rows_together % 4 == 0 && most_tile_rows % rows_together == 0);
  static_assert(4 * KS <= most_tile_rows);
  const int first_row = loader / lanes_of_row, column_of_lane = loader % lanes_of_row * 2;
  const int place = place_of_c(first_row, column_of_lane);
  block.for_each_pass([&](const Pass& pass, int first) {
    const std::int64_t first_tile = std::int64_t{block.section_number} * pass.tiles;
    const Index* const step_from = pass.step_from + first_tile * p.tile_steps;
    const std::uint32_t* const begin = pass.begin + first_tile;
    const double* rows[most_rows];
    Index columns_left[most_rows];  // of this lane's first column on; 0: there is no such row
#pragma unroll
    for (int i = 0; i < most_rows; ++i) columns_left[i] = 0;
    for (int j = 0; j < pass.parts; ++j) {
      const Part& part = pass.part[j];
      const Rows of_part(p, part, block.alpha, first, 4 * KS);
#pragma unroll
      for (int i = 0; i < most_rows; ++i) {
        const int k = first_row + i * rows_together - part.first_row;
        if (k < 0 || k >= of_part.size) continue;
        const int u = first + k - of_part.own;
        const Index string = u < 0 ? block.alpha : of_part.list[u].string;
        rows[i] = p.c + part.place + (string - part.first_alpha) * part.ld + column_of_lane;
        columns_left[i] = part.columns - column_of_lane;
      }
    }
    std::uint32_t steps = 1;
    for (Walk walk(pass.tile_from + first_tile, pass.tiles, block.last); steps != 0;
         walk.advance()) {
      const bool there = walk.there();
      const std::int64_t tile = there ? walk.tile : 0;
      for (int half = 0; half < 2; ++half) {
        handovers.c.freed[slots.c.slot].wait(slots.c.round - 1);
        if (half == 0) {
          const bool of_lane =
              there && lane < p.tile_steps && step_from[tile * p.tile_steps + lane] <= block.last;
          steps = __ballot_sync(~0u, of_lane);
          if (loader == 0) block.shared.wanted[slots.tile % wanted_slots] = steps;
        }
        if (there) {
          const Index column = tile * columns + half * half_columns;
          double* const to = block.shared.c + slots.c.slot * block.shared.c_size + place;
#pragma unroll
          for (int i = 0; i < most_rows; ++i) {
            if (column < columns_left[i]) {
              copy_async(to + place_of_c(i * rows_together, 0), rows[i] + column);
            }
          }
        }
        Handover& filled = handovers.c.filled[slots.c.slot];
        filled.arrive_after_copies();
        if (loader == 0) filled.arrive();  // what it wrote itself is seen then
        slots.next_half();
      }
      // Behind c, for whose sake nobody waits for those who add.
      handovers.lists.freed[slots.lists.slot].wait(slots.lists.round - 1);
      if (there) {
        uint4* const lists = block.shared.lists + slots.lists.slot * block.shared.lists_size;
        const std::uint32_t from = begin[tile], end = begin[tile + 1];
#pragma unroll 4
        for (std::uint32_t i = from + loader; i < end; i += loading) {
          copy_async(lists + (i - from), pass.words + i);
        }
      }
      handovers.lists.filled[slots.lists.slot].arrive_after_copies();
      slots.next_tile();
    }
  });
}

/// The task of the warps that multiply: tiles of G of those of c.
template <int KS>
__device__ __forceinline__ void multiply_tiles(const Block<KS>& block) {
  const Problem& p = block.p;
  AllHandovers& handovers = *block.shared.handovers;
  const int multiplying = 32 * p.multiplying;
  Slots slots(p);
  const int warp = threadIdx.x / 32;
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
        handovers.c.filled[slots.c.slot].wait(slots.c.round);
        if (half == 0) {
          steps = block.shared.wanted[slots.tile % wanted_slots];
          wanted = (steps >> share.step & 1) != 0;
        }
        const bool makes = wanted && share.has(half);
        double sum[2][4] = {};
        if (makes) {
          multiplier.multiply(block.shared.c + slots.c.slot * block.shared.c_size + c_offset, sum);
        }
        if (half == 0) handovers.g.freed[slots.g.slot].wait(slots.g.round - 1);
        if (makes) {
          multiplier.store(block.shared.g + slots.g.slot * block.shared.g_size, half, sum);
        }
        arrive_as_warp(handovers.c.freed[slots.c.slot]);
        slots.next_half();
      }
      arrive_as_warp(handovers.g.filled[slots.g.slot]);
      slots.next_tile();
    }
  });
}

/// The task of the warps that add up: σ, of tiles of G and their lists.
template <int KS>
__device__ __forceinline__ void add_tiles(const Block<KS>& block) {
  const Problem& p = block.p;
  AllHandovers& handovers = *block.shared.handovers;
  Slots slots(p);
  const int warp = static_cast<int>(threadIdx.x / 32) - p.multiplying;
  Handover* before = nullptr;  // that of the tile before, and its phase
  int round_before = 0;
  block.for_each_pass([&](const Pass&, int) {
    bool more = true;
    while (more) {
      handovers.lists.filled[slots.lists.slot].wait(slots.lists.round);
      handovers.g.filled[slots.g.slot].wait(slots.g.round);
      more = block.shared.wanted[slots.tile % wanted_slots] != 0;
      Handover& freed = handovers.g.freed[slots.g.slot];
      if (more) {
        // σ is added to by one tile after another.
        add_tile(reinterpret_cast<const std::uint32_t*>(block.shared.lists +
                                                        slots.lists.slot * block.shared.lists_size),
                 p.adding, block.shared.g + slots.g.slot * block.shared.g_size, warp,
                 block.section_first, block.last, block.shared.sigma, [&] {
                   if (before != nullptr) before->wait(round_before);
                 });
      }
      arrive_as_warp(freed);
      arrive_as_warp(handovers.lists.freed[slots.lists.slot]);
      before = &freed;
      round_before = slots.g.round;
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
  for (int i = threadIdx.x; i < p.c_slots * shared.c_size; i += blockDim.x) shared.c[i] = 0.0;
  if (threadIdx.x < p.g_slots) shared.g[(threadIdx.x + 1) * shared.g_size - 2] = 0.0;
  if (threadIdx.x == 0) {
    shared.handovers->c.begin(32 * loaders(KS) + 1, p.multiplying);
    shared.handovers->lists.begin(32 * loaders(KS), p.adding);
    shared.handovers->g.begin(p.multiplying, p.adding);
  }
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
