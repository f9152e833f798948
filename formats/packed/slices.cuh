#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/cuda/dependent_launch.cuh"
#include "formats/csr/csr_rows.cuh"
#include "formats/packed/device_groups.cuh"

// The product of the slices of a packed matrix.
//
// A warp takes a slice, a lane a row; with eight vectors two neighbouring lanes take a row, and two
// warps a slice. Of a group, four steps, a lane loads 8 bytes of offsets and 8 of codes, streamed
// past the caches. Codes are looked up in shared memory as far as the dictionary fits there: its
// most frequent magnitudes come first. After the coded groups a warp takes the slice's plain ones.
// Entries in no group take a second launch.
//
// In a step of a warp with one vector a multiprocessor loads a group's 132 bytes, looks up 32 words
// of 8 bytes in random banks, and gathers 32 from the lines of X that their columns are in. As many
// warps as there is room for keep it busy; -Xptxas -v prints the registers of a kernel.
// Multiprocessors are not equally fast, nor slices equally long. Hence blocks take batches of
// slices (formats/packed/batches.hpp) by drawing tickets from a counter, which wraps to zero with
// the last one. The tickets decide which block takes a batch and when; no sum depends on them.
//
// Bytes a nonzero, and the time of a product with 1.08e9 nonzeros (12 orbitals, 10 electrons; 4.2 %
// without a code) at 4.2 TB/s, 2 % of the places being padding:
//
//     coded_near   0.958 · 4.125 · 1.02 + 0.042 · 10.125 · 1.02 =  4.5   1.2 ms
//     coded_far    0.958 · 6     · 1.02 + 0.042 · 10.125 · 1.02 =  6.3   1.6 ms
//     plain_near                                   10.125 · 1.02 = 10.3   2.7 ms
//     csr                                                          12     3.1 ms
//
// Complex elements: a look-up and a gather take 16 bytes, and a group's bytes are the same. A
// nonzero takes 4.9 bytes (5 % plain, of 18), against 20 in CSR. The first-level cache serves the
// gathers of two real vectors and twice the look-ups, so the cache is probably the limit and not
// memory: 1.5 ms as for two vectors above, and 0.4 ms more.
//
// These are predictions; docs/results/packed-h200.md has the measurements.

namespace cisolve::packed_slices {

/// Vectors of a lane if lanes share a row's K vectors: each takes pairs, every Share-th of them, so
/// that all lanes together read a run of X at once. Vector j of a lane is vector of_lane(j) from
/// its first.
template <int K, int Share>
__device__ constexpr int of_lane(int j) {
  return Share == 1 ? j : j / 2 * 2 * Share + j % 2;
}
template <int K, int Share>
__device__ inline void load_vectors(const double* row, double (&to)[K / Share]) {
  constexpr int run = Share == 1 ? K : 2;
#pragma unroll
  for (int first = 0; first < K / Share; first += run) {
    double part[run];
    cuda::load_row<run, true>(row + of_lane<K, Share>(first), part);
#pragma unroll
    for (int j = 0; j < run; ++j) to[first + j] = part[j];
  }
}

/// Layout of a kernel's threads for rows of X of so many numbers, those of K vectors over elements
/// of D numbers.
template <int Numbers_, int Share_, int Threads_, int Blocks_, bool Ahead_ = false, int D_ = 1>
struct PackedShape {
  static constexpr int components = D_;
  static constexpr int numbers = Numbers_;
  static constexpr int vectors = Numbers_ / D_;
  static constexpr int share = Share_;               ///< lanes on a row
  static constexpr int width = Numbers_ / Share_;    ///< numbers of a lane, by components
  static constexpr int team = packed_rows * Share_;  ///< threads of a slice
  static constexpr int threads = Threads_;           ///< a block, at most
  static constexpr int blocks = Blocks_;  ///< for which a multiprocessor's registers must suffice
  static constexpr bool ahead = Ahead_;   ///< a group is loaded while the one before is worked
  static constexpr int of_component = width / D_;
  /// Place of a lane's number n, counted from its first one, components `step` apart.
  static __device__ constexpr int place(int n, int step) {
    return n / of_component * step + of_lane<vectors, share>(n % of_component);
  }
};

/// A lane's numbers of a row of X.
template <class S>
__device__ inline void load_numbers(const double* row, double (&to)[S::width]) {
  if constexpr (S::components == 1 || S::share == 1) {
    load_vectors<S::numbers, S::share>(row, to);
  } else {
#pragma unroll
    for (int c = 0; c < S::components; ++c) {
      double part[S::of_component];
      load_vectors<S::vectors, S::share>(row + c * S::vectors, part);
#pragma unroll
      for (int j = 0; j < S::of_component; ++j) to[c * S::of_component + j] = part[j];
    }
  }
}

/// sum_j += element · x_j.
template <class S>
__device__ inline void add_product(double element, const double (&x)[S::width],
                                   double (&sum)[S::width]) {
#pragma unroll
  for (int j = 0; j < S::width; ++j) sum[j] += element * x[j];
}
template <class S>
__device__ inline void add_product(const double2& element, const double (&x)[S::width],
                                   double (&sum)[S::width]) {
  constexpr int k = S::of_component;
#pragma unroll
  for (int j = 0; j < k; ++j) {
    sum[j] += element.x * x[j];
    sum[j] -= element.y * x[k + j];
    sum[k + j] += element.x * x[k + j];
    sum[k + j] += element.y * x[j];
  }
}

/// sum_j += four entries of a row, as loaded, times x(column, vector j of the lane).
template <class S, class Group, class Dictionary>
__device__ inline void add_group(const Group& group, const Dictionary& dictionary, const double* x,
                                 double (&sum)[S::width]) {
  // All of X is asked for before the first of it is used.
  double from[packed_steps][S::width];
#pragma unroll
  for (int t = 0; t < packed_steps; ++t) {
    load_numbers<S>(x + static_cast<std::int64_t>(group.column(t)) * S::numbers, from[t]);
  }
#pragma unroll
  for (int t = 0; t < packed_steps; ++t) {
    const auto element = decoded(dictionary, group.elements[t]);
    // Padding is skipped: it read another row's part of X.
    if constexpr (std::is_same_v<decltype(group.elements[t]), double2>) {
      if (element.x == 0 && element.y == 0) continue;
    } else {
      if (group.elements[t] == 0) continue;
    }
    add_product<S>(element, from[t], sum);
  }
}

/// Adds the entries of a row of slice s: every `parts`-th of its groups, from number `part` on, so
/// that the parts of a slice read the same columns.
template <class S, class Groups, class Dictionary>
__device__ inline void add_groups(const Groups& m, const Dictionary& dictionary, Index s, int part,
                                  int parts, int r, const double* x, double (&sum)[S::width]) {
  using Group = LoadedGroup<typename Groups::Place, typename Groups::Element>;
  const Offset end = m.slice_offsets[s + 1];
  Offset g = m.slice_offsets[s] + part;
  if constexpr (S::ahead && is_code<typename Groups::Element>) {
    if (g >= end) return;
    Group next(m, g, r);
    for (; g < end; g += parts) {
      const Group now = next;
      if (g + parts < end) next = Group(m, g + parts, r);
      add_group<S>(now, dictionary, x, sum);
    }
  } else {
    for (; g < end; g += parts) add_group<S>(Group(m, g, r), dictionary, x, sum);
  }
}

/// Y := α·groups·X + βY for packed X. A block copies the dictionary once. Its teams, of a warp or
/// of several that share a slice, take the slices of a batch in turn, so that slices in work read
/// neighbouring columns of the same part of X. If a batch has fewer slices than there are teams,
/// several teams take parts of one, whose sums are added up in order. Shared memory holds the
/// dictionary, as far as it is `in_shared`, and behind it `width` doubles a thread.
template <class S, class Place, bool Whole>
__global__ void __launch_bounds__(S::threads, S::blocks)
    multiply_slices_kernel(DeviceSlices<S::components, Place> m, double alpha,
                           const double* __restrict__ x, double beta, double* __restrict__ y,
                           int y_stride) {
  using Element = DeviceElement<S::components>;
  extern __shared__ __align__(16) double shared[];
  auto* const magnitudes = reinterpret_cast<Element*>(shared);
  __shared__ unsigned ticket;
  cuda::let_next_kernel_begin();  // the expansion's, which waits before it reads Y
  for (int i = static_cast<int>(threadIdx.x); i < m.in_shared; i += static_cast<int>(blockDim.x)) {
    magnitudes[i] = m.dictionary[i];
  }
  __syncthreads();
  const Dictionary<Element, Whole> dictionary(magnitudes, m.in_shared, m.dictionary);
  double* sums = shared + m.in_shared * S::components + threadIdx.x;
  const int teams = static_cast<int>(blockDim.x) / S::team;
  const int team = static_cast<int>(threadIdx.x) / S::team;
  const int r = static_cast<int>(threadIdx.x) % S::team / S::share;
  const int first_vector = static_cast<int>(threadIdx.x) % S::share * 2;
  const auto store = [&](Index s, const double(&sum)[S::width]) {
    if (s * packed_rows + r >= m.rows) return;
    const std::int64_t first_row = std::int64_t{m.row_order[s * packed_rows + r]} * S::components;
    double* row = y + first_row * y_stride + first_vector;
#pragma unroll
    for (int j = 0; j < S::width; ++j) {
      double& to = row[S::place(j, y_stride)];
      to = alpha * sum[j] + (beta == 0.0 ? 0.0 : beta * to);
    }
  };
  for (unsigned batch = blockIdx.x; batch < m.batches;) {
    const Index end = m.first_slices[batch + 1];
    Index s = m.first_slices[batch];
    const int at_once = min(teams, end - s);
    const int parts = teams / at_once, part = team / at_once;
    s += team % at_once;
    double sum[S::width];
    for (; s < end; s += at_once) {
#pragma unroll
      for (int j = 0; j < S::width; ++j) sum[j] = 0.0;
      if (part < parts) {
        const double* from = x + first_vector;
        add_groups<S>(m.coded, dictionary, s, part, parts, r, from, sum);
        // The other way round, so that those with a coded group more have no plain one more.
        add_groups<S>(m.plain, dictionary, s, parts - 1 - part, parts, r, from, sum);
      }
      if (parts > 1) break;  // a slice is all that a team has a part of
      if (part == 0) store(s, sum);
    }
#pragma unroll
    for (int j = 0; j < S::width; ++j) sums[j * blockDim.x] = sum[j];
    if (threadIdx.x == 0) ticket = gridDim.x + atomicInc(m.drawn, m.batches - 1);
    __syncthreads();  // all sums are there, and the ticket
    batch = ticket;
    if (parts > 1 && part == 0) {
      for (int p = 1; p < parts; ++p) {
#pragma unroll
        for (int j = 0; j < S::width; ++j) sum[j] += sums[j * blockDim.x + p * at_once * S::team];
      }
    }
    __syncthreads();  // they may be overwritten
    if (parts > 1 && part == 0) store(s, sum);
  }
}

}  // namespace cisolve::packed_slices
