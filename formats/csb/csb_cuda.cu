#include "backends/cuda/warp.cuh"
#include "formats/csb/csb.hpp"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

constexpr int warps = 8;        ///< a thread block
constexpr int strip_rows = 64;  ///< a warp

struct CsbArrays {
  Index rows;
  Index block_size;
  Index strips;  ///< a block row
  const Offset* block_row_offsets;
  const Index* block_columns;
  const Offset* block_offsets;
  const std::uint16_t* local_rows;
  const std::uint16_t* local_columns;
  const double* values;
};

/// The first of entries begin … end − 1 of a block whose local row is at least `row`.
__device__ inline std::int64_t first_of_row(const std::uint16_t* local_rows, std::int64_t begin,
                                            std::int64_t end, int row) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (__ldg(local_rows + middle) < row) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Adds entries begin … end − 1, whose rows ascend, to the warp's sums, rows counted from
/// `first_row`. A step takes 32 entries: a segmented scan sums those of one row, and only the last
/// lane of a row adds to its sum.
template <int K, bool Aligned>
__device__ inline void add_entries(const CsbArrays& a, std::int64_t begin, std::int64_t end,
                                   int lane, int first_row, const double* x, int x_stride,
                                   double* sums) {
  for (std::int64_t start = begin; start < end; start += 32) {
    const std::int64_t e = start + lane;
    const bool inside = e < end;
    int row = -1;
    double sum[K] = {};
    if (inside) {
      row = __ldcs(a.local_rows + e);
      const double value = __ldcs(a.values + e);
      const auto column = static_cast<std::int64_t>(__ldcs(a.local_columns + e));
      cuda::load_row<K, Aligned>(x + column * x_stride, sum);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[j] *= value;
    }
    const int row_before = __shfl_up_sync(full_warp, row, 1);
    const unsigned heads = __ballot_sync(full_warp, lane == 0 || row != row_before);
    const int head = 31 - __clz(static_cast<int>(heads & (full_warp >> (31 - lane))));
    const int distance = inside ? lane - head : 0;
    // Most rows have an entry or two here, and the scan ends with the longest run.
    for (int step = 1; __any_sync(full_warp, distance >= step); step *= 2) {
#pragma unroll
      for (int j = 0; j < K; ++j) {
        const double before = __shfl_up_sync(full_warp, sum[j], step);
        if (distance >= step) sum[j] += before;
      }
    }
    const bool last = lane == 31 || ((heads >> (lane + 1)) & 1u) != 0;
    if (inside && last) {
#pragma unroll
      for (int j = 0; j < K; ++j) sums[(row - first_row) * K + j] += sum[j];
    }
    __syncwarp();
  }
}

/// Y := αAX + βY. A warp owns a strip of rows of a block row and walks its blocks from left to
/// right. It finds its entries in each block by bisection of the local rows (a lane a block, 32
/// blocks at once). Its sums lie in shared memory, and no other warp adds there: no atomics, and
/// the same bits every time. The strips of a thread block are neighbours, so its warps read the
/// same pieces of x.
template <int K, bool Aligned>
__global__ void __launch_bounds__(32 * warps)
    multiply_strips_kernel(CsbArrays a, double alpha, const double* __restrict__ x, int x_stride,
                           double beta, double* __restrict__ y, int y_stride) {
  __shared__ double all_sums[warps * strip_rows * K];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t strip = static_cast<std::int64_t>(blockIdx.x) * warps + warp;
  const std::int64_t block_row = strip / a.strips;
  const std::int64_t top = block_row * a.block_size;
  const int first_row = static_cast<int>(strip % a.strips) * strip_rows;
  const std::int64_t height = a.rows - top < a.block_size ? a.rows - top : a.block_size;
  if (first_row >= height) return;  // the whole warp: no strip here
  const int last_row =
      first_row + strip_rows < height ? first_row + strip_rows : static_cast<int>(height);

  double* const sums = all_sums + warp * strip_rows * K;
  for (int i = lane; i < strip_rows * K; i += 32) sums[i] = 0.0;
  __syncwarp();

  const std::int64_t blocks_end = a.block_row_offsets[block_row + 1];
  for (std::int64_t group = a.block_row_offsets[block_row]; group < blocks_end; group += 32) {
    const std::int64_t block = group + lane;
    std::int64_t begin = 0, end = 0, column = 0;
    if (block < blocks_end) {
      const std::int64_t block_end = a.block_offsets[block + 1];
      begin = first_of_row(a.local_rows, a.block_offsets[block], block_end, first_row);
      end = first_of_row(a.local_rows, begin, block_end, last_row);
      column = static_cast<std::int64_t>(a.block_columns[block]) * a.block_size;
    }
    const int count = blocks_end - group < 32 ? static_cast<int>(blocks_end - group) : 32;
    for (int b = 0; b < count; ++b) {
      const std::int64_t from = __shfl_sync(full_warp, begin, b);
      const std::int64_t to = __shfl_sync(full_warp, end, b);
      const std::int64_t left = __shfl_sync(full_warp, column, b);
      add_entries<K, Aligned>(a, from, to, lane, first_row, x + left * x_stride, x_stride, sums);
    }
  }

  for (int i = lane; i < (last_row - first_row) * K; i += 32) {
    double& to = y[(top + first_row + i / K) * y_stride + i % K];
    to = alpha * sums[i] + (beta == 0.0 ? 0.0 : beta * to);
  }
}

class CudaCsbOperator final : public StoredOperator {
 public:
  CudaCsbOperator(const CsrMatrix& a, Backend& backend, Index requested)
      : StoredOperator(a, backend, "csb") {
    const CsbMatrix csb = to_csb(a, requested);
    block_size_ = csb.block_size;
    block_rows_ = csb.block_rows();
    block_row_offsets_ = Buffer<Offset>::from_host(backend, csb.block_row_offsets);
    block_columns_ = Buffer<Index>::from_host(backend, csb.block_columns);
    block_offsets_ = Buffer<Offset>::from_host(backend, csb.block_offsets);
    local_rows_ = Buffer<std::uint16_t>::from_host(backend, csb.local_rows);
    local_columns_ = Buffer<std::uint16_t>::from_host(backend, csb.local_columns);
    values_ = Buffer<double>::from_host(backend, csb.values);
    built(csb.bytes(), 0, csb.description());
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    for_each_device_piece(x.columns, [&](auto piece, int first) {
      constexpr int k = decltype(piece)::value;
      const ConstView from = x.slice(first, k);
      const bool aligned =
          reinterpret_cast<std::uintptr_t>(from.data) % 16 == 0 && from.stride % 2 == 0;
      if (k % 2 == 0 && aligned) {
        launch<k, k % 2 == 0>(alpha, from, beta, y.slice(first, k));
      } else {
        launch<k, false>(alpha, from, beta, y.slice(first, k));
      }
    });
  }

 private:
  template <int K, bool Aligned>
  void launch(double alpha, ConstView x, double beta, View y) const {
    const Index strips = (block_size_ + strip_rows - 1) / strip_rows;
    const CsbArrays arrays{rows(),
                           block_size_,
                           strips,
                           block_row_offsets_.data(),
                           block_columns_.data(),
                           block_offsets_.data(),
                           local_rows_.data(),
                           local_columns_.data(),
                           values_.data()};
    const auto thread_blocks = static_cast<unsigned>((block_rows_ * strips + warps - 1) / warps);
    if (thread_blocks == 0) return;
    multiply_strips_kernel<K, Aligned>
        <<<thread_blocks, 32 * warps>>>(arrays, alpha, x.data, static_cast<int>(x.stride), beta,
                                        y.data, static_cast<int>(y.stride));
    check_launch("csb product");
  }

  Index block_size_ = 0;
  Offset block_rows_ = 0;
  Buffer<Offset> block_row_offsets_, block_offsets_;
  Buffer<Index> block_columns_;
  Buffer<std::uint16_t> local_rows_, local_columns_;
  Buffer<double> values_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csb_cuda)(std::shared_ptr<const CsrMatrix> a,
                                                                 Backend& backend,
                                                                 const FormatOptions& options) {
  return std::make_unique<CudaCsbOperator>(*a, backend, options.block_size);
}

}  // namespace cisolve
