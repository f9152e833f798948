#include "backends/cuda/check.hpp"
#include "backends/cuda/warp.cuh"
#include "formats/matrix/row_components_cuda.hpp"

// Union-find as in core/forest.hpp (Jayanti, Tarjan 2016: concurrent, path halving), a warp a
// row. An entry reads its 4 bytes of column and gathers the parent of that column. Predicted for
// 1.08e9 nonzeros at 4.2 TB/s: 1.0 ms for the columns, and 3 to 6 ms for the gathers. Caches serve
// most of these, because the columns of a row come in runs. Measured (ci_matrix_bench): 7 ms for
// 1.08e9 nonzeros, and 0.072 s for 1.10e10, beside making the rows.

namespace cisolve {
namespace {

/// Trees of rows whose roots are their lowest rows; any thread may find and unite.
struct Forest {
  Index* parents;

  /// Past the first-level cache, which does not see what other multiprocessors write.
  __device__ Index load(Index i) const { return *const_cast<const volatile Index*>(parents + i); }

  __device__ Index find(Index i) const {
    while (true) {
      const Index parent = load(i), grandparent = load(parent);
      if (parent == grandparent) return parent;
      // Path halving. Parents only ever move towards the root, so a stale write does no harm.
      *const_cast<volatile Index*>(parents + i) = grandparent;
      i = grandparent;
    }
  }

  __device__ void unite(Index i, Index j) const {
    while (true) {
      i = find(i);
      j = find(j);
      if (i == j) return;
      const Index high = max(i, j), low = min(i, j);
      // The higher root may have got a parent meanwhile: then from the start.
      if (atomicCAS(parents + high, high, low) == high) return;
    }
  }

  /// The first-level cache may be out of date; `unite` is then called in vain.
  __device__ bool joined(Index i, Index j) const { return parents[i] == parents[j]; }
};

__global__ void make_singletons(Forest forest, Index rows) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i < rows) forest.parents[i] = static_cast<Index>(i);
}

__global__ void unite_rows(Forest forest, DeviceRows rows, Index first_row) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (row >= rows.count) return;
  const Index i = first_row + rows.first + static_cast<Index>(row);
  const Offset end = rows.row_offsets[row + 1] - rows.row_offsets[0];
  for (Offset e = rows.row_offsets[row] - rows.row_offsets[0] + threadIdx.x % warp; e < end;
       e += warp) {
    const Index j = rows.column_indices[e];
    if (!forest.joined(i, j)) forest.unite(i, j);
  }
}

__global__ void point_at_roots(Forest forest, Index rows) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i < rows) forest.parents[i] = forest.find(static_cast<Index>(i));
}

}  // namespace

std::vector<Index> CISOLVE_IN_MODULE(component_roots)(RowSource& source, Backend& backend) {
  const Index rows = source.columns();
  Buffer<Index> parents(backend, static_cast<std::size_t>(rows));
  const Forest forest{parents.data()};
  make_singletons<<<blocks_of(rows), block_threads>>>(forest, rows);
  check_launch("components: trees of one row");
  source.for_each_block(1, [&](const DeviceRows& block) {
    unite_rows<<<blocks_of(std::int64_t{block.count} * warp), block_threads>>>(forest, block,
                                                                               source.first_row());
    check_launch("components: uniting rows");
  });
  point_at_roots<<<blocks_of(rows), block_threads>>>(forest, rows);
  check_launch("components: finding roots");
  std::vector<Index> roots(static_cast<std::size_t>(rows));
  backend.download_bytes(parents.data(), roots.data(), roots.size() * sizeof(Index));
  return roots;
}

}  // namespace cisolve
