#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "hamiltonian/direct/cuda/matrix_instructions.cuh"
#include "hamiltonian/direct/target_tiles.hpp"

/// What the kernel of mixed_product_cuda.cuh is told, where it keeps what in shared memory, and how
/// its warps share out tiles.
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

/// On the device, all by their number in the layout; links as AlphaLinks has them.
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
  Index last_alpha;         ///< blocks take alpha strings from this one down
  bool lower;               ///< σ_ab for b ≤ a alone, half of it for b = a
  Index section;            ///< beta strings of a section
  int tile_steps;           ///< room of a tile of G
  int tile_rows;            ///< room of a tile of c
  int list_words;           ///< room for the lists of a tile
  int list_slots;           ///< two or, so that loading need not wait for adding, three
  int multiplying, adding;  ///< warps
};

constexpr int columns = TargetTiles::columns, step_pairs = TargetTiles::step_pairs;
/// c comes in halves of a tile.
constexpr int half_columns = columns / 2;
/// Where it lies: no two lanes that read four rows of four columns share a bank. Two columns, the
/// first of them even, lie side by side.
CISOLVE_HOST_DEVICE constexpr int place_of_c(int row, int column) {
  return row * half_columns + (column ^ (row % 4 * 4));
}
/// Rows of c in a tile, where a part alone has not more.
constexpr int most_tile_rows = 96;

/// Most threads of a block that has KS steps of four rows of c and V, and the warps that load.
constexpr int most_threads(int ks) {
  return ks <= 17 ? 512 : 384;
}
CISOLVE_HOST_DEVICE constexpr int loaders(int ks) {
  return ks <= 17 ? 3 : 2;
}

/// Tiles go from task to task in slots: two of G, two or three of lists, three of halves of a tile
/// of c.
enum Barrier { multipliers = 1, g_made = 2, g_free = 4, lists_free = 6, c_loaded = 9, c_free = 12 };

/// Doubles of shared memory by what they are for.
struct Memory {
  __host__ __device__ explicit Memory(const Problem& p)
      : sigma((p.section + 1) / 2 * 2),
        g(TargetTiles::zero_place(p.tile_steps) + 2),
        c(p.tile_rows * half_columns),
        lists((p.list_words + 3) / 4 * 2),
        list_slots(p.list_slots),
        own(p.tile_steps * step_pairs) {}
  Index sigma;
  int g;  ///< two
  int c;  ///< three
  int lists, list_slots;
  int own;
  __host__ __device__ std::int64_t bytes() const {
    return sizeof(double) * (sigma + 2 * g + 3 * c + list_slots * lists + std::int64_t{own} + 2);
  }
};

/// Shared memory.
struct Shared {
  __device__ Shared(double2* memory, const Memory& sizes)
      : sigma(reinterpret_cast<double*>(memory)),
        g(sigma + sizes.sigma),
        c(g + 2 * sizes.g),
        lists(reinterpret_cast<uint4*>(c + 3 * sizes.c)),
        own(c + 3 * sizes.c + sizes.list_slots * sizes.lists),
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
  int list_slots;
  int tile = 0, lists = 0, c = 0;
  __device__ int two() const { return tile % 2; }
  __device__ int four() const { return tile % 4; }
  __device__ void next_half() { c = c == 2 ? 0 : c + 1; }
  __device__ void next_tile() {
    ++tile;
    lists = lists + 1 == list_slots ? 0 : lists + 1;
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

}  // namespace cisolve::mixed_product
