#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/cuda/warp.cuh"
#include "core/types.hpp"

// Rows made by warps. The contributions of a row's neighbours, its slots, are laid end to end by a
// prefix sum and taken 32 at a time; every lane finds by bisection which neighbour its slot belongs
// to. Counting and writing walk the same code with another sink.

namespace cisolve::row_lanes {

inline constexpr unsigned all_lanes = ~0u;

struct Entry {
  Index column;
  double value;
};

__device__ inline int lane_id() {
  return static_cast<int>(threadIdx.x % warp);
}

/// One lane's value; each lane may ask another.
template <class T>
__device__ T from_lane(const T& value, int lane) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(unsigned) == 0);
  unsigned words[sizeof(T) / sizeof(unsigned)];
  memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = __shfl_sync(all_lanes, word, lane);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

/// Σ of the lanes' values up to this one's.
__device__ inline int inclusive_sum(int value) {
  for (int distance = 1; distance < warp; distance *= 2) {
    const int below = __shfl_up_sync(all_lanes, value, distance);
    if (lane_id() >= distance) value += below;
  }
  return value;
}

/// The last lane whose value is at most `wanted`; values ascend from 0 with the lanes.
__device__ inline int last_lane_up_to(int wanted, int value) {
  int lane = 0;
  for (int step = warp / 2; step > 0; step /= 2) {
    if (__shfl_sync(all_lanes, value, lane + step) <= wanted) lane += step;
  }
  return lane;
}

/// The k-th of the pairs high > low.
__device__ inline void unpair(int k, int& high, int& low) {
  high = static_cast<int>((1.0f + sqrtf(1.0f + 8.0f * static_cast<float>(k))) / 2.0f);
  while (high * (high - 1) / 2 > k) --high;
  while (high * (high + 1) / 2 <= k) ++high;
  low = k - high * (high - 1) / 2;
}

/// Entries of every row, counted. As Counter does on the host.
struct LengthSink {
  Index* lengths;  ///< from that of first_row on
  std::int64_t first_row;
  int count = 0;  ///< this lane's

  __device__ void begin_row(std::int64_t) { count = 0; }
  __device__ void add(bool stored, const Entry&) { count += stored; }
  __device__ void end_row(std::int64_t row) {
    const int length = inclusive_sum(count);
    if (lane_id() == warp - 1) lengths[row - first_row] = length;
  }
};

/// The entries themselves. As Writer does on the host.
struct EntrySink {
  const Offset* row_offsets;  ///< from that of first_row on
  std::int64_t first_row;
  Index* columns;
  double* values;
  Offset next = 0;

  __device__ void begin_row(std::int64_t row) {
    next = row_offsets[row - first_row] - row_offsets[0];
  }
  __device__ void add(bool stored, const Entry& entry) {
    const unsigned all = __ballot_sync(all_lanes, stored);
    if (stored) {
      const Offset place = next + __popc(all & ((1u << lane_id()) - 1));
      __stcs(columns + place, entry.column);
      __stcs(values + place, entry.value);
    }
    next += __popc(all);
  }
  __device__ void end_row(std::int64_t) {}
};

}  // namespace cisolve::row_lanes
