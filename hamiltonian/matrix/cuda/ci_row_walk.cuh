#pragma once

#include <cstdint>

#include "hamiltonian/matrix/ci_tables.hpp"
#include "hamiltonian/matrix/cuda/row_lanes.cuh"

// A thread block makes the rows of one RowBlock, a warp a row at a time. The warp takes the row's
// alpha neighbours 32 at a time, a lane each. The lane finds the number of determinants that its
// neighbour contributes: one with the same beta string, and one for every single excitation of the
// beta string within those of the neighbour. These slots are laid end to end by a prefix sum and
// taken 32 at a time; every lane finds its slot's neighbour by bisection. Lanes are thus busy
// however long the lists are, and columns ascend. Zeros are left out by ballot. Counting and
// writing walk the same code with another sink.
//
// Values are the host's bit for bit: the sums run in the same order, and every product is by a sign
// and so exact, whether the compiler fuses it with a sum or not.
//
// Predicted for 1.08e9 nonzeros (12 orbitals, 10 electrons: 627,264 rows with 245 neighbours of
// each spin, 35 of them singles) on an H200. A row has 210 + 35·36 slots before and behind the
// alpha string itself, about 50 steps in 8 or 9 chunks of neighbours, and 246 of the string, 8
// steps. About 70 instructions a step and 250 a chunk make 6,300 a row and 4.0e9 in all. 132
// multiprocessors that issue two in a cycle of 1.8 GHz take 8 ms to write, and about 7 ms to count.
// Writing 13.0 GB takes 3.1 ms at 4.2 TB/s and is hidden behind that.
//
// Measured there (ci_matrix_bench): N2 in 6-31G, 16 orbitals and 5 + 5 electrons, all irreps. It
// has 19.1e6 rows of 4,236 slots in 133 steps and about 20 chunks; symmetry leaves 575 nonzeros of
// a row, 1.10e10 in all. The estimate above gives 0.57 s to write. The pass took 0.41 s, 2.7e10
// nonzeros a second, and counting 0.38 s. A nonzero costs 37 ps, five times the 7.4 ps predicted
// above, because it stands for seven slots and not for one. With 1.14e10 nonzeros and no symmetry
// (14 orbitals) tables and counting together took 0.13 s; 0.074 s was predicted for counting.

namespace cisolve::ci_row_walk {

using namespace row_lanes;

inline constexpr int threads = 256;

/// Facts of an alpha string that others need.
struct alignas(16) AlphaString {
  Index column;                ///< determinant (a, b) has number column + b
  Index beta_begin, beta_end;  ///< of the space
  int group;
};

/// An ExcitationTable in device memory.
struct DeviceExcitations {
  const double* energies;
  const Offset* singles_begin;
  const SingleExcitation* singles;
  const Offset* neighbours_begin;
  const Neighbour* neighbours;
};

/// CiTables in device memory.
struct DeviceTables {
  double core_energy;
  int pairs;         ///< of orbitals
  int alpha_groups;  ///< of alpha strings
  DeviceExcitations alpha, beta;
  const OrbitalString64* alpha_strings;
  const OrbitalString64* beta_strings;
  const AlphaString* targets;  ///< of every alpha string
  const RangeLists::Entries* ranges;
  const double* mixed;
  const RowBlock* blocks;

  __device__ const double* mixed_row(int pair) const { return mixed + std::size_t(pair) * pairs; }
};

/// Contribution of an alpha neighbour a' to a row (a, b): one slot for each of b's single
/// excitations in `range` and one for b itself, in the order of their columns.
struct Target {
  double value;               ///< the element of (a', b)
  Index column;               ///< determinant (a', b) has number column + b
  std::int16_t pair, sign;    ///< of a single excitation
  RangeLists::Entries range;  ///< empty for a double excitation
  std::uint16_t holds_beta;   ///< 1 where (a', b) is a determinant, else 0

  __device__ int slots() const { return range.last - range.first + holds_beta; }
  /// Slot of b itself, where there is one.
  __device__ int own_slot() const { return range.middle - range.first; }
};

/// Neighbours of a list with a lower target than `wanted`.
__device__ inline int position(const Neighbour* list, int count, Index wanted) {
  int first = 0;
  while (count > 0) {
    const int half = count / 2;
    if (list[first + half].target < wanted) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

/// sum + Σ_{j in the string} x[pair_index(j, j)], in this order.
__device__ inline double add_electrons(double sum, const OrbitalString64& electrons,
                                       const double* x) {
  for (const int j : electrons) sum += x[pair_index(j, j)];
  return sum;
}

/// A row (a, b) in the making.
template <class Sink>
struct RowWalk {
  const DeviceTables& t;
  const double* coulomb;  ///< Σ_{i in a} (ii|rs) for all rs
  Index a, b;
  OrbitalString64 beta_electrons;
  Sink& sink;

  __device__ Target target(const Neighbour& n) const {
    const AlphaString to = t.targets[n.target];
    const bool holds_beta = to.beta_begin <= b && b < to.beta_end;
    Target result{n.value, to.column, n.pair, n.sign, {0, 0, 0}, holds_beta};
    if (n.sign == 0) return result;
    result.range = t.ranges[std::size_t(b) * t.alpha_groups + to.group];
    if (holds_beta) {
      result.value = n.element(add_electrons(0.0, beta_electrons, t.mixed_row(n.pair)));
    }
    return result;
  }

  /// A slot of a target; `singles` are those of b.
  __device__ Entry entry(const Target& target, int slot, const SingleExcitation* singles) const {
    const int own = target.own_slot();
    if (target.holds_beta && slot == own) return {target.column + b, target.value};
    const int past = target.holds_beta && slot > own ? 1 : 0;
    const SingleExcitation single = singles[target.range.first + slot - past];
    return {target.column + single.target,
            (target.sign * single.sign) * t.mixed_row(target.pair)[single.pair]};
  }

  /// The alpha string changes to its neighbours [from, to).
  __device__ void alpha_excited(Offset from, Offset to) const {
    const SingleExcitation* singles = t.beta.singles + t.beta.singles_begin[b];
    for (Offset first = from; first < to; first += warp) {
      Target mine{0.0, 0, 0, 0, {0, 0, 0}, 0};
      if (first + lane_id() < to) mine = target(t.alpha.neighbours[first + lane_id()]);
      const int end = inclusive_sum(mine.slots()), begin = end - mine.slots();
      const int slots = __shfl_sync(all_lanes, end, warp - 1);
      for (int step = 0; step < slots; step += warp) {
        const int slot = step + lane_id();
        const int owner = last_lane_up_to(slot, begin);
        const Target its = from_lane(mine, owner);
        const int place = slot - __shfl_sync(all_lanes, begin, owner);
        Entry found{0, 0.0};
        if (slot < slots) found = entry(its, place, singles);
        sink.add(found.value != 0.0, found);
      }
    }
  }

  /// The alpha string stays: b's neighbours among the beta strings of a, the diagonal among them.
  __device__ void alpha_kept() const {
    const Offset begin = t.beta.neighbours_begin[b];
    const Neighbour* all = t.beta.neighbours + begin;
    const AlphaString self = t.targets[a];
    const Index wanted = lane_id() == 0 ? self.beta_begin : lane_id() == 1 ? b : self.beta_end;
    const int found_at =
        position(all, static_cast<int>(t.beta.neighbours_begin[b + 1] - begin), wanted);
    const int first = __shfl_sync(all_lanes, found_at, 0);
    const int middle = __shfl_sync(all_lanes, found_at, 1);
    const int slots = __shfl_sync(all_lanes, found_at, 2) - first + 1, own = middle - first;
    const double energy = add_electrons(t.core_energy + (t.alpha.energies[a] + t.beta.energies[b]),
                                        beta_electrons, coulomb);
    for (int step = 0; step < slots; step += warp) {
      const int slot = step + lane_id();
      Entry found{self.column + b, energy};
      if (slot < slots && slot != own) {
        const Neighbour n = all[first + slot - (slot > own ? 1 : 0)];
        found = {self.column + n.target, n.element(coulomb[n.pair])};
      }
      sink.add(slot == own || (slot < slots && found.value != 0.0), found);
    }
  }
};

/// Rows [first_row, end_row), of which some are of the block of every thread block.
template <class Sink>
__global__ void __launch_bounds__(threads, 5)
    walk_rows(DeviceTables t, std::int64_t first_row, std::int64_t end_row, Sink sink) {
  extern __shared__ double coulomb[];
  const RowBlock block = t.blocks[blockIdx.x];
  const Index a = block.alpha_string;
  for (int rs = threadIdx.x; rs < t.pairs; rs += threads) {
    double sum = 0;
    for (const int i : t.alpha_strings[a]) sum += t.mixed_row(pair_index(i, i))[rs];
    coulomb[rs] = sum;
  }
  __syncthreads();

  const Offset begin = t.alpha.neighbours_begin[a], end = t.alpha.neighbours_begin[a + 1];
  const Offset middle =
      begin + position(t.alpha.neighbours + begin, static_cast<int>(end - begin), a);
  const std::int64_t column = t.targets[a].column;
  const auto first = static_cast<Index>(max(std::int64_t{block.first}, first_row) - column);
  const auto last = static_cast<Index>(min(std::int64_t{block.last}, end_row) - column);
  for (Index b = first + static_cast<Index>(threadIdx.x / warp); b < last; b += threads / warp) {
    const RowWalk<Sink> row{t, coulomb, a, b, t.beta_strings[b], sink};
    sink.begin_row(column + b);
    row.alpha_excited(begin, middle);
    row.alpha_kept();
    row.alpha_excited(middle, end);
    sink.end_row(column + b);
  }
}

}  // namespace cisolve::ci_row_walk
