#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cuda/dependent_launch.cuh"
#include "backends/view.hpp"
#include "core/array.hpp"
#include "formats/shared/row_kernels.cuh"

// The product of an expansion: most rows have no entry or a few, some have thousands.
//
// A lane takes a row of up to four entries, a warp a longer one. Neighbouring rows are long
// together, so long rows are listed beforehand to be spread over the device. An entry takes 12
// bytes, a row with entries 20 and 16·K; rows without are not read. The time is that of a launch
// and of four loads, each of which waits for the one before.

namespace cisolve::packed_expansion {

inline constexpr Offset alone = 4;  ///< entries of a row that a lane takes
inline constexpr int threads = 256;
inline constexpr int warps = threads / 32;

/// The rows that have entries: first those of more than `alone`, `longer` of them.
struct Rows {
  Array<Index> rows;
  Index longer = 0;

  explicit Rows(const Array<Offset>& offsets) {
    const auto entries = [&](Index i) { return offsets[i + 1] - offsets[i]; };
    for (Index i = 0; i + 1 < static_cast<Offset>(offsets.size()); ++i) {
      if (entries(i) > 0) rows.push_back(i);
    }
    const auto others =
        std::ranges::stable_partition(rows, [&](Index i) { return entries(i) > alone; });
    longer = static_cast<Index>(others.begin() - rows.begin());
  }
};

/// The rows on the device, with the expansion.
struct Expansion {
  const Index* rows;
  std::int64_t count;
  std::int64_t longer;
  const Offset* offsets;
  const Index* columns;
  const double* values;
};

template <int K>
inline constexpr int in_flight = (K < 4) ? 4 : 2;
/// Shape with so many lanes a row.
template <int K, int Count>
using Lanes = cuda::Shape<K, Count, 1, threads, in_flight<K>>;

/// Y := Y + αEX for packed X. The first blocks have the longer rows, a warp each. It may begin
/// before the kernel that makes Y has ended: hence Y is not __restrict__, which would let it be
/// read before that is waited for.
template <int K>
__global__ void __launch_bounds__(threads)
    add_expansion_kernel(Expansion m, double alpha, const double* __restrict__ x, double* y,
                         int y_stride) {
  const std::int64_t blocks_of_longer = (m.longer + warps - 1) / warps;
  const std::int64_t block = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const bool by_warp = block < blocks_of_longer;
  const std::int64_t i = by_warp ? block * warps + thread / 32
                                 : m.longer + (block - blocks_of_longer) * threads + thread;
  const bool inside = i < (by_warp ? m.longer : m.count);
  const Index row = inside ? m.rows[i] : 0;
  const Offset begin = inside ? m.offsets[row] : 0, end = inside ? m.offsets[row + 1] : 0;
  double sum[K] = {};
  if (by_warp) {
    cuda::add_entries<Lanes<K, 32>>(m.values, m.columns, begin, end, lane, x, K, sum);
#pragma unroll
    for (int j = 0; j < K; ++j) {
#pragma unroll
      for (int step = 16; step > 0; step /= 2) sum[j] += __shfl_xor_sync(0xffffffffu, sum[j], step);
    }
  } else {
    cuda::add_entries<Lanes<K, 1>>(m.values, m.columns, begin, end, 0, x, K, sum);
  }
  cuda::wait_for_kernel_before();
  if (!inside || (by_warp && lane > 0)) return;
  double* to = y + std::int64_t{row} * y_stride;
#pragma unroll
  for (int j = 0; j < K; ++j) to[j] += alpha * sum[j];
}

/// Adds the expansion's product for blocks of K vectors.
template <int K>
void add_expansion(const Expansion& m, double alpha, ConstView x, View y) {
  const std::int64_t blocks =
      (m.longer + warps - 1) / warps + (m.count - m.longer + threads - 1) / threads;
  if (blocks == 0) return;
  cuda::launch_before_end<add_expansion_kernel<K>>(static_cast<unsigned>(blocks), threads,
                                                   "product of the expansion", m, alpha, x.data,
                                                   y.data, static_cast<int>(y.stride));
}

}  // namespace cisolve::packed_expansion
