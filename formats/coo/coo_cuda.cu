#include "backends/cuda/warp.cuh"
#include "formats/coo/coo_cuda.hpp"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

// Segmented sums, after Bell and Garland (SC 2009). A warp takes a chunk of entries, 32 at a time.
// While all of them belong to the open row, every lane sums its own entries. If a row ends among
// them, a segmented scan sums each row's. Rows that start and end in a chunk, except its last row,
// are added to Y at once. The others leave carries:
//   carry_in[c]   of chunk c's first row, if it started in an earlier chunk and ends in this one
//   carry_out[c]  of chunk c's last row
// A second kernel adds them up, row by row, in the order of the chunks.

namespace cisolve {
namespace {

constexpr std::int64_t chunk_entries = 512;

struct CooEntries {
  const Index* rows;
  const Index* columns;
  const double* values;
  std::int64_t count;

  __device__ std::int64_t chunk_end(std::int64_t chunk) const {
    const std::int64_t end = (chunk + 1) * chunk_entries;
    return end < count ? end : count;
  }
};

/// The sum over the warp, in every lane.
template <int K>
__device__ inline void sum_lanes(const double (&part)[K], double (&total)[K]) {
#pragma unroll
  for (int j = 0; j < K; ++j) {
    total[j] = part[j];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      total[j] += __shfl_xor_sync(full_warp, total[j], step);
    }
  }
}

/// One warp's walk over its chunk. All its lanes call all its functions together.
template <int K>
struct ChunkSum {
  std::int64_t chunk;
  int lane;
  Index first_row;
  bool continued;  ///< the first row started in an earlier chunk
  double alpha;
  double* y;
  std::int64_t y_stride;
  double* carry_in;
  Index open;      ///< the row of the entries taken last
  double part[K];  ///< the lane's part of its sum

  /// A row that ends here, and is not the chunk's last; called by one lane alone.
  __device__ void close(Index row, const double (&sum)[K]) const {
    if (continued && row == first_row) {
#pragma unroll
      for (int j = 0; j < K; ++j) carry_in[chunk * K + j] = sum[j];
    } else {
#pragma unroll
      for (int j = 0; j < K; ++j) y[row * y_stride + j] += alpha * sum[j];
    }
  }

  /// The warp's next 32 entries: the lane's is term = a_ij x_j in `row`.
  __device__ void take(Index row, double (&term)[K]) {
    if (__all_sync(full_warp, row == open)) {
#pragma unroll
      for (int j = 0; j < K; ++j) part[j] += term[j];
      return;
    }
    double total[K];
    sum_lanes(part, total);
    if (lane == 0) {
      if (row != open) {
        close(open, total);
      } else {
#pragma unroll
        for (int j = 0; j < K; ++j) term[j] += total[j];
      }
    }
    __syncwarp(full_warp);
    scan_rows(row, term);
    const Index next = __shfl_down_sync(full_warp, row, 1);
    if (lane < 31 && next != row) close(row, term);
    __syncwarp(full_warp);
    open = __shfl_sync(full_warp, row, 31);
#pragma unroll
    for (int j = 0; j < K; ++j) part[j] = lane == 31 ? term[j] : 0.0;
  }

  /// term := the sum of the terms of its row in this and the lanes before.
  __device__ void scan_rows(Index row, double (&term)[K]) const {
    const Index previous = __shfl_up_sync(full_warp, row, 1);
    const unsigned starts = __ballot_sync(full_warp, lane == 0 || previous != row);
    const int start = 31 - __clz(static_cast<int>(starts & (full_warp >> (31 - lane))));
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
#pragma unroll
      for (int j = 0; j < K; ++j) {
        const double before = __shfl_up_sync(full_warp, term[j], step);
        if (lane - start >= step) term[j] += before;
      }
    }
  }
};

template <int K, bool Aligned>
__global__ void __launch_bounds__(block_threads)
    add_chunks_kernel(CooEntries a, double alpha, const double* __restrict__ x,
                      std::int64_t x_stride, double* __restrict__ y, std::int64_t y_stride,
                      double* __restrict__ carry_in, double* __restrict__ carry_out) {
  constexpr int in_flight = K <= 2 ? 4 : 2;
  const std::int64_t chunk =
      (static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x) / 32;
  const std::int64_t begin = chunk * chunk_entries;
  if (begin >= a.count) return;  // the whole warp
  const std::int64_t end = a.chunk_end(chunk);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Index first_row = a.rows[begin];
  const bool continued = begin > 0 && a.rows[begin - 1] == first_row;
  ChunkSum<K> sum{chunk, lane, first_row, continued, alpha, y, y_stride, carry_in, first_row, {}};

  for (std::int64_t first = begin + lane; first - lane < end; first += 32 * in_flight) {
    Index row[in_flight], column[in_flight];
    double value[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      // Past the end the last entry is read again and counts as zero.
      const std::int64_t e = first + u * 32;
      const std::int64_t inside = e < end ? e : end - 1;
      row[u] = __ldcs(a.rows + inside);
      column[u] = __ldcs(a.columns + inside);
      value[u] = e < end ? __ldcs(a.values + inside) : 0.0;
    }
    double term[in_flight][K];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      cuda::load_row<K, Aligned>(x + column[u] * x_stride, term[u]);
#pragma unroll
      for (int j = 0; j < K; ++j) term[u][j] *= value[u];
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) sum.take(row[u], term[u]);
  }
  double total[K];
  sum_lanes(sum.part, total);
  if (lane == 0) {
#pragma unroll
    for (int j = 0; j < K; ++j) carry_out[chunk * K + j] = total[j];
  }
}

/// A thread for every chunk and vector: the one where the chunk's last row starts adds it up.
template <int K>
__global__ void __launch_bounds__(block_threads)
    add_carries_kernel(CooEntries a, std::int64_t chunks, double alpha,
                       const double* __restrict__ carry_in, const double* __restrict__ carry_out,
                       double* __restrict__ y, std::int64_t y_stride) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  const std::int64_t chunk = thread / K;
  const int j = static_cast<int>(thread % K);
  if (chunk >= chunks) return;
  const Index row = a.rows[a.chunk_end(chunk) - 1];
  if (chunk > 0 && a.rows[chunk * chunk_entries - 1] == row) return;
  double sum = carry_out[chunk * K + j];
  for (std::int64_t c = chunk + 1; c < chunks && a.rows[c * chunk_entries] == row; ++c) {
    const bool ends = a.rows[a.chunk_end(c) - 1] != row;
    sum += (ends ? carry_in : carry_out)[c * K + j];
  }
  y[row * y_stride + j] += alpha * sum;
}

std::int64_t chunk_count(Offset nonzeros) {
  return (nonzeros + chunk_entries - 1) / chunk_entries;
}

class CudaCooOperator final : public StoredOperator {
 public:
  CudaCooOperator(const CsrMatrix& a, Backend& backend)
      : StoredOperator(a, backend, "coo"), coo_(to_coo(a), backend) {
    built(CooMatrix::bytes(a.nonzeros()));
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    scale(beta, y);
    coo_.add_product(alpha, x, y);
  }

 private:
  CudaCoo coo_;
};

}  // namespace

CudaCoo::CudaCoo(const CooMatrix& coo, Backend& backend)
    : nonzeros_(coo.nonzeros()),
      row_indices_(Buffer<Index>::from_host(backend, coo.row_indices)),
      column_indices_(Buffer<Index>::from_host(backend, coo.column_indices)),
      values_(Buffer<double>::from_host(backend, coo.values)),
      carry_in_(backend, static_cast<std::size_t>(chunk_count(nonzeros_)) * widest_piece),
      carry_out_(backend, static_cast<std::size_t>(chunk_count(nonzeros_)) * widest_piece) {}

void CudaCoo::add_product(double alpha, ConstView x, View y) const {
  if (nonzeros_ == 0) return;
  const CooEntries a{row_indices_.data(), column_indices_.data(), values_.data(), nonzeros_};
  const std::int64_t chunks = chunk_count(nonzeros_);
  double* carry_in = carry_in_.data();
  double* carry_out = carry_out_.data();
  for_each_device_piece(x.columns, [&](auto piece, int first) {
    constexpr int k = decltype(piece)::value;
    static_assert(k <= widest_piece);
    const double* from = x.data + first;
    double* to = y.data + first;
    const bool aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && x.stride % 2 == 0;
    const unsigned blocks = blocks_of(chunks * 32);
    if (k % 2 == 0 && aligned) {
      add_chunks_kernel<k, k % 2 == 0>
          <<<blocks, block_threads>>>(a, alpha, from, x.stride, to, y.stride, carry_in, carry_out);
    } else {
      add_chunks_kernel<k, false>
          <<<blocks, block_threads>>>(a, alpha, from, x.stride, to, y.stride, carry_in, carry_out);
    }
    add_carries_kernel<k><<<blocks_of(chunks * k), block_threads>>>(a, chunks, alpha, carry_in,
                                                                    carry_out, to, y.stride);
    check_launch("sparse product");
  });
}

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_coo_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions&) {
  return std::make_unique<CudaCooOperator>(*a, backend);
}

}  // namespace cisolve
