#pragma once

#include <cstdint>

#include "hamiltonian/select/beta_signs.hpp"
#include "hamiltonian/select/cuda/target_walk.cuh"

// Thread blocks draw alpha strings, meet all ways to the determinants of one (target_walk.cuh) in a
// table (sum_table.cuh), and add up what these contribute to the correction of every state.

namespace cisolve::target_kernel {

using target_sums::SumTable;
using target_sums::TargetTables;
using target_sums::TargetWalk;

inline constexpr int sum_threads = 1024;  // the heaviest string of a list takes a block long
inline constexpr int states_at_once = 4;
inline constexpr int fewest_bits = 12;  ///< of a table's places

/// Σ e of a state, as an integer and what it leaves, and the largest |c| (its bits).
struct StateSums {
  unsigned long long high, low, largest;
};
/// Units of these integers, of the largest element. What high ones leave is below 2^35 low ones, of
/// which 2^28 have room; a thread carries after each table.
inline constexpr double high_unit = 0x1p-40, low_unit = 0x1p-76;
inline constexpr int low_bits = 36;

/// Low ones that make high ones are carried over to these: then what is there is the same for one
/// sum, however it was added up.
__host__ __device__ inline void carry(StateSums& sums) {
  const auto low = static_cast<long long>(sums.low);
  sums.high += static_cast<unsigned long long>(low >> low_bits);
  sums.low = static_cast<unsigned long long>(low & ((1LL << low_bits) - 1));
}

template <int Words>
struct SumLaunch {
  TargetTables<Words> tables;
  const double* energies;  ///< of the states
  double unit;             ///< the largest element, Hartree
  std::int64_t targets;
  const BasicOrbitalString<Words>* strings;  ///< of the targets
  const Index* own;           ///< their numbers in the list; −1: they are not there
  const std::int64_t* begin;  ///< of their links to other strings
  const TargetLink* links;
  unsigned long long* next;         ///< target that a block takes
  unsigned long long *keys, *sums;  ///< tables of the blocks
  int most_bits;                    ///< of the places of each
  double core_energy;
  StateSums* results;  ///< targets × k
};

/// Adds what a table has to the sums of the states.
template <int Words>
__device__ void take_sums(const SumLaunch<Words>& launch, const TargetWalk<Words>& walk,
                          double alpha_energy, StateSums* results) {
  const SumTable<Words>& table = walk.sums;
  const int k = table.k;
  for (int first = 0; first < k; first += states_at_once) {
    StateSums own[states_at_once] = {};
    for (std::uint32_t place = threadIdx.x; place < table.places(); place += blockDim.x) {
      if (!table.is_used(place)) continue;
      const double energy = alpha_energy + walk.beta_energy(table.key(place));
      for (int i = 0; i < states_at_once && first + i < k; ++i) {
        const auto whole = static_cast<long long>(table.sums[std::int64_t{place} * k + first + i]);
        if (whole == 0) continue;
        const double sum = static_cast<double>(whole) / launch.tables.scale;
        const double coefficient = first_order_coefficient(sum, launch.energies[first + i], energy);
        // More than the largest element is no correction, and may be anything.
        const double e = fmin(fmax(sum * coefficient / launch.unit, -1.0), 1.0);
        const long long high = __double2ll_rn(e / high_unit);
        own[i].high += static_cast<unsigned long long>(high);
        own[i].low += static_cast<unsigned long long>(
            __double2ll_rn((e - static_cast<double>(high) * high_unit) / low_unit));
        own[i].largest =
            max(own[i].largest,
                static_cast<unsigned long long>(__double_as_longlong(fabs(coefficient))));
      }
    }
    for (int i = 0; i < states_at_once && first + i < k; ++i) {
      if (own[i].largest == 0) continue;
      carry(own[i]);
      atomicAdd(&results[first + i].high, own[i].high);
      atomicAdd(&results[first + i].low, own[i].low);
      atomicMax(&results[first + i].largest, own[i].largest);
    }
  }
}

/// Meets all ways to a target, `own` rows of its string and links from others, an item of work for
/// a warp each; ends early where the table is full. All threads of the block.
template <int Words>
__device__ void meet_all(const TargetWalk<Words>& walk, Index own, Index own_count,
                         const TargetLink* links, int link_count) {
  __shared__ int item;
  walk.sums.clear();
  if (threadIdx.x == 0) item = 0;
  __syncthreads();
  while (!__any_sync(full_warp, walk.sums.is_full())) {
    int mine = 0;
    if (row_lanes::lane_id() == 0) mine = atomicAdd(&item, 1);
    mine = __shfl_sync(full_warp, mine, 0);
    if (mine >= own_count + link_count) break;
    if (mine < own_count) {
      walk.meet_own(own + mine);
    } else {
      walk.meet(links[mine - own_count]);
    }
    __syncwarp();
  }
  __syncthreads();
}

/// Blocks draw targets. The beta strings of one are met in as many classes as its table needs; a
/// table that is too small is made larger, or has more classes, and its target begins anew.
template <int Words>
__global__ void __launch_bounds__(sum_threads) sum_targets(SumLaunch<Words> launch) {
  extern __shared__ double field[];
  __shared__ int used;
  __shared__ std::int64_t drawn;
  const TargetTables<Words>& t = launch.tables;
  const std::int64_t places = std::int64_t{1} << launch.most_bits;
  SumTable<Words> table{launch.keys + blockIdx.x * places * Words,
                        launch.sums + blockIdx.x * places * t.k,
                        t.k,
                        fewest_bits,
                        0,
                        1,
                        &used};
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) drawn = static_cast<std::int64_t>(atomicAdd(launch.next, 1ULL));
    __syncthreads();
    const std::int64_t target = drawn;
    if (target >= launch.targets) return;
    const BasicOrbitalString<Words>& string = launch.strings[target];
    for (int pair = threadIdx.x; pair < t.integrals.pairs; pair += sum_threads) {
      double sum = 0.0;
      for (const int j : string) sum += t.integrals.mixed_row(pair_index(j, j))[pair];
      field[pair] = sum;
    }
    const TargetWalk<Words> walk{t, string, field, table};
    StateSums* const results = launch.results + target * t.k;
    const std::int64_t begin = launch.begin[target];
    const auto links = static_cast<int>(launch.begin[target + 1] - begin);
    const Index source = launch.own[target], own = source < 0 ? 0 : t.begin[source];
    const Index own_count = source < 0 ? 0 : t.begin[source + 1] - own;
    table.classes = 1;
    table.number = 0;
    while (table.number < table.classes) {
      meet_all(walk, own, own_count, launch.links + begin, links);
      const bool full = table.is_full();
      const int were_used = used;
      __syncthreads();
      if (full) {  // what was taken of other classes is void
        table.enlarge(launch.most_bits);
        for (int j = threadIdx.x; j < t.k; j += sum_threads) results[j] = {};
        continue;
      }
      for (Index i = static_cast<Index>(threadIdx.x); i < own_count; i += sum_threads) {
        table.erase(t.rows.string(beta, own + i));
      }
      __syncthreads();
      take_sums(launch, walk, launch.core_energy + walk.alpha_energy(), results);
      ++table.number;
      table.shrink(were_used, fewest_bits);
      __syncthreads();
    }
  }
}

}  // namespace cisolve::target_kernel
