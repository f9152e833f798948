#include "backends/cuda/warp.cuh"
#include "formats/csr5/csr5.hpp"
#include "formats/shared/row_kernels.cuh"
#include "formats/shared/stored_operator.hpp"

namespace cisolve {
namespace {

constexpr int widest = 8;     ///< of for_each_device_piece's
constexpr int in_flight = 4;  ///< entries of a lane
static_assert(Csr5Matrix::lanes == 32, "a tile is a warp's");

struct Csr5Arrays {
  Offset tiles;
  int tile_height;
  const Index* nonempty_rows;
  const Index* tile_rows;
  const std::uint64_t* row_starts;
  const std::uint16_t* y_offsets;
  const Index* columns;
  const double* values;
};

/// y_row += α·sum, and sum := 0.
template <int K>
__device__ inline void close_row(double alpha, double (&sum)[K], double* y, int y_stride,
                                 Index row) {
#pragma unroll
  for (int j = 0; j < K; ++j) {
    y[static_cast<std::int64_t>(row) * y_stride + j] += alpha * sum[j];
    sum[j] = 0.0;
  }
}

/// Adds a lane's σ entries. Rows that begin and end in the lane go to Y, entries before the first
/// start to `head`, those after the last stay in `open`. A lane that begins no row has everything
/// in `head`. `row` is the first row that the lane begins, among the nonempty.
template <int K, bool Aligned>
__device__ inline void add_lane(const Csr5Arrays& a, std::int64_t place, std::uint64_t starts,
                                const Index* row, double alpha, const double* x, int x_stride,
                                double* y, int y_stride, double (&head)[K], double (&open)[K]) {
  bool begun = false;
  for (int first = 0; first < a.tile_height; first += in_flight) {
    double value[in_flight];
    Index column[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      // Past the lane's end the last entry is read again and counts as zero.
      const int e = first + u < a.tile_height ? first + u : a.tile_height - 1;
      value[u] = first + u < a.tile_height ? __ldcs(a.values + place + e * 32) : 0.0;
      column[u] = __ldcs(a.columns + place + e * 32);
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (first + u < a.tile_height && (starts >> (first + u) & 1u) != 0) {
        if (begun) {
          close_row<K>(alpha, open, y, y_stride, *row++);
        } else {
#pragma unroll
          for (int j = 0; j < K; ++j) {
            head[j] = open[j];
            open[j] = 0.0;
          }
        }
        begun = true;
      }
      double from[K];
      cuda::load_row<K, Aligned>(x + static_cast<std::int64_t>(column[u]) * x_stride, from);
#pragma unroll
      for (int j = 0; j < K; ++j) open[j] += value[u] * from[j];
    }
  }
  if (begun) return;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    head[j] = open[j];
    open[j] = 0.0;
  }
}

/// Y += α·(the tiles' rows), a warp a tile. The row that a lane leaves open takes the heads of the
/// lanes after it, up to the next that begins a row: a segmented sum over the lanes, whose reach is
/// the paper's seg_offset. Entries before the tile's first row start go to `carries`. Every row of
/// Y is written by the one lane in which it begins.
template <int K, bool Aligned>
__global__ void __launch_bounds__(block_threads)
    add_tiles_kernel(Csr5Arrays a, double alpha, const double* __restrict__ x, int x_stride,
                     double* __restrict__ y, int y_stride, double* __restrict__ carries) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  const std::int64_t tile = thread / 32;
  const int lane = static_cast<int>(thread % 32);
  if (tile >= a.tiles) return;  // the whole warp

  const std::uint64_t starts =
      __ldcs(reinterpret_cast<const unsigned long long*>(a.row_starts) + tile * 32 + lane);
  const Index* const row =
      a.nonempty_rows + a.tile_rows[tile] + __ldcs(a.y_offsets + tile * 32 + lane);
  double head[K] = {}, open[K] = {};
  add_lane<K, Aligned>(a, tile * 32 * a.tile_height + lane, starts, row, alpha, x, x_stride, y,
                       y_stride, head, open);

  const unsigned beginning = __ballot_sync(full_warp, starts != 0);
  const unsigned later = beginning & (0xfffffffeu << lane);
  const int next = later != 0 ? __ffs(static_cast<int>(later)) - 1 : 32;
  const int reach = next - lane - 1;  // lanes after this one that begin no row
  double after[K];
#pragma unroll
  for (int j = 0; j < K; ++j) {
    after[j] = __shfl_down_sync(full_warp, head[j], 1);
    if (lane == 31) after[j] = 0.0;
  }
  for (int step = 1; __any_sync(full_warp, reach >= step); step *= 2) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const double further = __shfl_down_sync(full_warp, after[j], step);
      if (reach >= step) after[j] += further;
    }
  }
  if (lane == 0) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      carries[tile * K + j] = starts != 0 ? head[j] : head[j] + after[j];
    }
  }
  if (starts != 0) {
#pragma unroll
    for (int j = 0; j < K; ++j) open[j] += after[j];
    close_row<K>(alpha, open, y, y_stride, row[__popcll(starts) - 1]);
  }
}

/// The calibration, a thread a tile and vector: of consecutive tiles that carry to one row, the
/// first adds all, in order.
__global__ void add_carries_kernel(Csr5Arrays a, double alpha, const double* __restrict__ carries,
                                   int columns, double* __restrict__ y, int y_stride) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  const std::int64_t tile = thread / columns;
  const int j = static_cast<int>(thread % columns);
  if (tile >= a.tiles) return;
  const Index rows = a.tile_rows[tile];
  if (rows == 0 || (tile > 0 && a.tile_rows[tile - 1] == rows)) return;
  double sum = 0.0;
  for (std::int64_t t = tile; t < a.tiles && a.tile_rows[t] == rows; ++t) {
    sum += carries[t * columns + j];
  }
  y[static_cast<std::int64_t>(a.nonempty_rows[rows - 1]) * y_stride + j] += alpha * sum;
}

/// The tail, for the loop over CSR rows.
struct TailRows {
  const Index* rows;
  const Offset* offsets;
  const Index* columns;
  const double* values;

  template <class S>
  __device__ void add(std::int64_t i, int lane, const double* x, int stride,
                      double (&sum)[S::width]) const {
    cuda::add_entries<S>(values, columns, offsets[i], offsets[i + 1], lane, x, stride, sum);
  }
  __device__ std::int64_t output_row(std::int64_t i) const { return rows[i]; }
};

/// Products share its array of carries: one at a time.
class CudaCsr5Operator final : public StoredOperator {
 public:
  CudaCsr5Operator(const CsrMatrix& a, Backend& backend, Index tile_height)
      : StoredOperator(a, backend, "csr5") {
    const Csr5Matrix m = to_csr5(a, tile_height);
    tiles_ = m.tiles();
    tile_height_ = m.tile_height;
    tail_rows_ = m.tail_rows();
    first_tail_row_ = m.first_tail_row();
    mean_tail_length_ = static_cast<double>(m.tail_offsets.back() - m.tail_offsets.front()) /
                        (tail_rows_ > 0 ? tail_rows_ : 1);
    nonempty_rows_ = Buffer<Index>::from_host(backend, m.nonempty_rows);
    tile_rows_ = Buffer<Index>::from_host(backend, m.tile_rows);
    row_starts_ = Buffer<std::uint64_t>::from_host(backend, m.row_starts);
    y_offsets_ = Buffer<std::uint16_t>::from_host(backend, m.y_offsets);
    tail_offsets_ = Buffer<Offset>::from_host(backend, m.tail_offsets);
    column_indices_ = Buffer<Index>::from_host(backend, m.column_indices);
    values_ = Buffer<double>::from_host(backend, m.values);
    carries_ = Buffer<double>(backend, static_cast<std::size_t>(tiles_) * widest);
    built(m.bytes(), 0, m.description());
  }

  void apply(double alpha, ConstView x, double beta, View y) const override {
    if (y.rows == 0) return;
    scale(beta, y);
    if (tiles_ > 0) {
      for_each_device_piece(x.columns, [&](auto piece, int first) {
        constexpr int k = decltype(piece)::value;
        const ConstView from = x.slice(first, k);
        const bool aligned =
            reinterpret_cast<std::uintptr_t>(from.data) % 16 == 0 && from.stride % 2 == 0;
        if (k % 2 == 0 && aligned) {
          add_tiles<k, k % 2 == 0>(alpha, from, y.slice(first, k));
        } else {
          add_tiles<k, false>(alpha, from, y.slice(first, k));
        }
      });
    }
    const TailRows tail{nonempty_rows_.data() + first_tail_row_, tail_offsets_.data(),
                        column_indices_.data(), values_.data()};
    cuda::multiply_rows(*this, tail, mean_tail_length_, alpha, x, 1.0,
                        {y.data, tail_rows_, y.columns, y.stride});
  }

 private:
  template <int K, bool Aligned>
  void add_tiles(double alpha, ConstView x, View y) const {
    static_assert(K <= widest);
    const Csr5Arrays arrays{tiles_,
                            tile_height_,
                            nonempty_rows_.data(),
                            tile_rows_.data(),
                            row_starts_.data(),
                            y_offsets_.data(),
                            column_indices_.data(),
                            values_.data()};
    const auto y_stride = static_cast<int>(y.stride);
    add_tiles_kernel<K, Aligned><<<blocks_of(tiles_ * 32), block_threads>>>(
        arrays, alpha, x.data, static_cast<int>(x.stride), y.data, y_stride, carries_.data());
    check_launch("csr5: tiles");
    add_carries_kernel<<<blocks_of(tiles_ * K), block_threads>>>(arrays, alpha, carries_.data(), K,
                                                                 y.data, y_stride);
    check_launch("csr5: carries");
  }

  Offset tiles_ = 0;
  Index tile_height_ = 0, tail_rows_ = 0, first_tail_row_ = 0;
  double mean_tail_length_ = 0.0;
  Buffer<Index> nonempty_rows_, tile_rows_, column_indices_;
  Buffer<std::uint64_t> row_starts_;
  Buffer<std::uint16_t> y_offsets_;
  Buffer<Offset> tail_offsets_;
  Buffer<double> values_;
  mutable Buffer<double> carries_;
};

}  // namespace

std::unique_ptr<LinearOperator> CISOLVE_IN_MODULE(make_csr5_cuda)(
    std::shared_ptr<const CsrMatrix> a, Backend& backend, const FormatOptions& options) {
  return std::make_unique<CudaCsr5Operator>(*a, backend, options.tile_height);
}

}  // namespace cisolve
