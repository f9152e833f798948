#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "hamiltonian/direct/cuda/matrix_instructions.cuh"
#include "hamiltonian/direct/tables/target_tiles.hpp"

/// Arguments of the kernel of mixed_product_cuda.cuh, its shared memory, and the share of tiles of
/// each warp.
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

/// Work that a block does together, tile after tile.
struct Pass {
  int parts, steps;
  Part part[most_irreps];
  Index tiles;
  const Index *step_from, *tile_from;
  const std::uint32_t* begin;
  const uint4* words;
};

/// Alpha strings on the device, all by their number in the layout; links as in AlphaLinks.
struct AlphaStrings {
  const OrbitalString64* strings;
  const Offset* links_begin;
  const PairLink* links;
};

struct Problem {
  const double* c;
  Target targets[most_irreps];
  const Pass* passes;
  const std::int8_t* irrep_of;
  const OrbitalString64* strings;
  const Offset* links_begin;  ///< of (alpha string, pair irrep)
  const PairLink* links;
  Index last_alpha;  ///< blocks take alpha strings from this one down
  bool lower;        ///< σ_ab for b ≤ a alone, half of it for b = a
  Index section;     ///< beta strings of a section
  int tile_steps;    ///< room of a tile of G
  int tile_rows;     ///< room of a tile of c
  int list_words;    ///< room for the lists of a tile
  /// Two of G and of lists or, so that none need wait for who is slower for once, three; of halves
  /// of a tile of c three or more.
  int g_slots, list_slots, c_slots;
  int multiplying, adding;  ///< warps
};

constexpr int columns = TargetTiles::columns, step_pairs = TargetTiles::step_pairs;
/// c comes in halves of a tile.
constexpr int half_columns = columns / 2;
/// Place of an element of c: no two lanes that read four rows of four columns share a bank. Two
/// columns, the first of them even, lie side by side.
CISOLVE_HOST_DEVICE constexpr int place_of_c(int row, int column) {
  return row * half_columns + (column ^ (row % 4 * 4));
}
/// Rows of c in a tile.
constexpr int most_tile_rows = 96;

/// Most threads of a block that has KS steps of four rows of c and V, and the warps that load.
constexpr int most_threads(int ks) {
  return ks <= 17 ? 512 : 384;
}
CISOLVE_HOST_DEVICE constexpr int loaders(int ks) {
  return ks <= 13 ? 3 : 2;
}

/// The barrier of the warps that multiply.
constexpr int multipliers = 1;

/// Tiles go from task to task in slots, as many as Problem says: of G, of lists, of halves of a
/// tile of c; and of the steps of a tile that are wanted.
constexpr int most_slots = 6, wanted_slots = 16;

/// Barriers of each slot: it is filled, and it is free again.
template <int N>
struct Handovers {
  Handover filled[N], freed[N];
  __device__ void begin(int fillers, int users) {
    for (int i = 0; i < N; ++i) {
      filled[i].begin(fillers);
      freed[i].begin(users);
    }
  }
};
struct AllHandovers {
  Handovers<most_slots> c, lists, g;
};

/// Doubles of shared memory by what they are for.
struct Memory {
  __host__ __device__ explicit Memory(const Problem& p)
      : sigma((p.section + 1) / 2 * 2),
        g(TargetTiles::zero_place(p.tile_steps) + 2),
        c(p.tile_rows * half_columns),
        lists((p.list_words + 3) / 4 * 2),
        g_slots(p.g_slots),
        list_slots(p.list_slots),
        c_slots(p.c_slots),
        own(p.tile_steps * step_pairs) {}
  Index sigma;
  int g, c;  ///< of a slot
  int lists, g_slots, list_slots, c_slots;
  int own;
  __host__ __device__ std::int64_t bytes() const {
    return sizeof(double) * (sigma + g_slots * g + c_slots * c + list_slots * lists +
                             std::int64_t{own} + wanted_slots / 2) +
           sizeof(AllHandovers);
  }
};

/// Shared memory.
struct Shared {
  __device__ Shared(double2* memory, const Memory& sizes)
      : sigma(reinterpret_cast<double*>(memory)),
        g(sigma + sizes.sigma),
        c(g + sizes.g_slots * sizes.g),
        lists(reinterpret_cast<uint4*>(c + sizes.c_slots * sizes.c)),
        own(c + sizes.c_slots * sizes.c + sizes.list_slots * sizes.lists),
        wanted(reinterpret_cast<std::uint32_t*>(own + sizes.own)),
        handovers(reinterpret_cast<AllHandovers*>(own + sizes.own + wanted_slots / 2)),
        g_size(sizes.g),
        c_size(sizes.c),
        lists_size(sizes.lists / 2) {}
  double *sigma, *g, *c;
  uint4* lists;
  double* own;  ///< weights of c of the alpha string itself
  /// Steps of pairs that are wanted in each tile, in turns, a bit each; 0: there are no more in
  /// this pass.
  std::uint32_t* wanted;
  AllHandovers* handovers;
  int g_size, c_size, lists_size;
};

/// A ring of slots: the one that is in turn, and how often the ring has gone round before.
struct Ring {
  int slots;
  int slot = 0, round = 0;
  __device__ void advance() {
    if (++slot < slots) return;
    slot = 0;
    ++round;
  }
};

/// Slots of a tile and its next half, which every warp counts for itself.
struct Slots {
  __device__ explicit Slots(const Problem& p) : lists{p.list_slots}, g{p.g_slots}, c{p.c_slots} {}
  Ring lists, g, c;
  int tile = 0;
  __device__ void next_half() { c.advance(); }
  __device__ void next_tile() {
    lists.advance();
    g.advance();
    ++tile;
  }
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

/// Share of a warp: rows of one step of pairs with a tile's columns, or with half of them.
/// The four schedulers of a processor, which have every fourth warp each, are to have the same to
/// do: one or two steps more than fours go to two warps each.
struct Share {
  int step, first_half = 0, halves = 2;
  __device__ Share(int warp, int warps, int steps) : step(warp) {
    const int whole = steps / 4 * 4, w = warp - whole;
    if (w >= 0 && warps >= warps_for(steps) && warps_for(steps) > steps) {
      step = whole + w / 2, first_half = w % 2, halves = 1;
    }
    if (step >= steps) halves = 0;
  }
  __host__ __device__ static constexpr int warps_for(int steps) {
    return steps % 4 < 3 ? steps + steps % 4 : steps;
  }
  __device__ bool has(int half) const { return half >= first_half && half < first_half + halves; }
};

}  // namespace cisolve::mixed_product
