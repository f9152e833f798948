#include <vector>

#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"
#include "core/mixed.hpp"
#include "formats/matrix/row_sums_cuda.hpp"

// A warp a row. An entry is read once, 12 bytes, and costs about 20 instructions, most of them for
// its column's w: predicted for 1.08e9 nonzeros 3.1 ms at 4.2 TB/s. Measured (ci_matrix_bench) for
// 1.10e10: 0.10 s beside making the rows, 10 ms for 1.08e9.

namespace cisolve {
namespace {

__device__ double sum_of_lanes(double value) {
  for (int distance = warp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(full_warp, value, distance);
  }
  return value;
}

__global__ void sum_rows(DeviceRows rows, Index first_row, const Index* numbers, MixedSums* sums) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (row >= rows.count) return;  // whole warps
  const int lane = static_cast<int>(threadIdx.x % warp);
  const auto number = [&](std::int64_t i) { return numbers != nullptr ? numbers[i] : i; };
  const Offset end = rows.row_offsets[row + 1] - rows.row_offsets[0];
  MixedSums mine;
  for (Offset e = rows.row_offsets[row] - rows.row_offsets[0] + lane; e < end; e += warp) {
    const double term = mixed_uniform(number(rows.column_indices[e])) * rows.values[e];
    mine.elements += term;
    mine.magnitude += fabs(term);
  }
  const double w = mixed_uniform(number(first_row + rows.first + row));
  mine.elements = w * sum_of_lanes(mine.elements);
  mine.magnitude = fabs(w) * sum_of_lanes(mine.magnitude);
  if (lane == 0) sums[row] = mine;
}

}  // namespace

MixedSums CISOLVE_IN_MODULE(mixed_sums)(RowSource& source, Backend& backend, const Index* numbers) {
  MixedSums total;
  std::vector<MixedSums> host;
  source.for_each_block(1, [&](const DeviceRows& block) {
    const auto rows = static_cast<std::size_t>(block.count);
    Buffer<MixedSums> sums(backend, rows);
    sum_rows<<<blocks_of(std::int64_t{block.count} * warp), block_threads>>>(
        block, source.first_row(), numbers, sums.data());
    check_launch("sums of rows");
    host.resize(rows);
    backend.download_bytes(sums.data(), host.data(), rows * sizeof(MixedSums));
    for (const MixedSums& row : host) {
      total.elements += row.elements;
      total.magnitude += row.magnitude;
    }
  });
  return total;
}

}  // namespace cisolve
