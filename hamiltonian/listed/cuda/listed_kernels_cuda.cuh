#pragma once

#include <cstdint>

#include "hamiltonian/listed/listed_tables.hpp"

/// Kernels of products over pairs of listed strings.
namespace cisolve::listed_product {

constexpr int lanes = 32;
constexpr int listed_threads = 256;  ///< of a block
constexpr int warps = listed_threads / lanes;
/// Columns that a warp makes of a row: two a lane, so that a link is read once for both.
constexpr int tile_columns = 2 * lanes;
/// Rows and columns of a tile that is transposed in shared memory.
constexpr int transposed_tile = 32;

/// Y_pr of one label: values are looked up.
struct LookedUp {
  const Offset* begin;  ///< by beta string
  const ListedLink* links;
  const double* integrals;       ///< (pr|·)
  const std::uint8_t* occupied;  ///< orbitals of the beta strings, one behind another; null: no
                                 ///< diagonal
  int electrons;

  /// Σ_{j in the string} (pr|jj), by the lanes of a warp together.
  __device__ double diagonal(Index string) const {
    if (occupied == nullptr) return 0.0;
    double sum = 0.0;
    for (int e = threadIdx.x % lanes; e < electrons; e += lanes) {
      const int j = occupied[std::int64_t{string} * electrons + e];
      sum += integrals[pair_index(j, j)];
    }
    for (int step = lanes / 2; step > 0; step /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    return sum;
  }
  template <class F>
  __device__ void element(Offset i, F f) const {
    const ListedLink link = links[i];
    const double value = integrals[link.pair];
    f(link.source, link.odd != 0 ? -value : value);
  }
};

/// A StringMatrix.
struct Held {
  const Offset* begin;
  const Index* columns;
  const double* values;

  __device__ static double diagonal(Index) { return 0.0; }
  template <class F>
  __device__ void element(Offset i, F f) const {
    f(columns[i], values[i]);
  }
};

/// A row of σ, transposed, is what h^β makes.
struct Store {
  double* sigma;
  std::int64_t ld;
  __device__ void operator()(Index row, Index column, double sum) const {
    sigma[row * ld + column] = sum;
  }
};
/// Columns are added where their links lead: no two of one pair to the same.
struct AddByLink {
  double* sigma;  ///< transposed
  std::int64_t ld;
  const AlphaLink* links;
  Index first;  ///< alpha string of the block
  __device__ void operator()(Index row, Index column, double sum) const {
    sigma[row * ld + (links[column].target - first)] += sum;
  }
};
/// Adds the product with h^α to y.
struct AddScaled {
  double* y;
  std::int64_t ld, stride;
  double alpha;
  __device__ void operator()(Index row, Index column, double sum) const {
    y[(row * ld + column) * stride] += alpha * sum;
  }
};

/// sink(row, column, (matrix · x)(row, column)) for rows of the matrix from `first_row` on, x
/// having a row of ld for each string from `first_source` on. A warp makes a tile of a row; blocks
/// next to each other make the same columns of other rows, so that these columns of x stay in the
/// L2 cache.
template <class Matrix, class Sink>
__global__ void __launch_bounds__(listed_threads)
    multiply(Matrix matrix, Index first_row, Index rows, Index first_source, const double* x,
             std::int64_t ld, Index columns, Sink sink) {
  const std::int64_t place = std::int64_t{blockIdx.x} * warps + threadIdx.x / lanes;
  if (place >= rows) return;
  const auto row = static_cast<Index>(place);
  const int lane = threadIdx.x % lanes;
  const Offset begin = matrix.begin[first_row + row], end = matrix.begin[first_row + row + 1];
  const double diagonal = matrix.diagonal(first_row + row);
  for (std::int64_t tile = std::int64_t{blockIdx.y} * tile_columns; tile < columns;
       tile += std::int64_t{gridDim.y} * tile_columns) {
    const std::int64_t c = tile + lane, d = c + lanes;
    // Lanes beyond the last column read that one.
    const double* const x_c = x + (c < columns ? c : columns - 1);
    const double* const x_d = x + (d < columns ? d : columns - 1);
    double sum_c = 0.0, sum_d = 0.0;
    if (diagonal != 0.0) {
      sum_c = diagonal * x_c[row * ld];
      sum_d = diagonal * x_d[row * ld];
    }
#pragma unroll 4
    for (Offset i = begin; i < end; ++i) {
      matrix.element(i, [&](Index source, double value) {
        const std::int64_t from = (source - first_source) * ld;
        sum_c += value * x_c[from];
        sum_d += value * x_d[from];
      });
    }
    if (c < columns) sink(row, static_cast<Index>(c), sum_c);
    if (d < columns) sink(row, static_cast<Index>(d), sum_d);
  }
}

/// panel(row, i) := sign_i c(row, source_i), c transposed, with a row of ld for each beta string.
inline __global__ void __launch_bounds__(listed_threads)
    pack(const AlphaLink* links, Index count, Index first, const double* c, std::int64_t ld,
         Index rows, double* panel) {
  const std::int64_t row = std::int64_t{blockIdx.x} * warps + threadIdx.x / lanes;
  const Index i = blockIdx.y * lanes + threadIdx.x % lanes;
  if (row >= rows || i >= count) return;
  const AlphaLink link = links[i];
  panel[row * count + i] = link.sign * c[row * ld + (link.source - first)];
}

/// write(row, column, read(row, column)) for a matrix of rows × columns: neighbours read are of one
/// row, neighbours written of one column.
template <class Read, class Write>
__global__ void __launch_bounds__(listed_threads)
    transpose(Index rows, Index columns, Read read, Write write) {
  __shared__ double tile[transposed_tile][transposed_tile + 1];
  const int x = threadIdx.x % transposed_tile, y = threadIdx.x / transposed_tile;
  constexpr int step = listed_threads / transposed_tile;
  const std::int64_t first_row = std::int64_t{blockIdx.x} * transposed_tile;
  for (std::int64_t first = std::int64_t{blockIdx.y} * transposed_tile; first < columns;
       first += std::int64_t{gridDim.y} * transposed_tile) {
    for (int k = y; k < transposed_tile; k += step) {
      const std::int64_t row = first_row + k, column = first + x;
      if (row < rows && column < columns) tile[k][x] = read(row, column);
    }
    __syncthreads();
    for (int k = y; k < transposed_tile; k += step) {
      const std::int64_t row = first_row + x, column = first + k;
      if (row < rows && column < columns) write(row, column, tile[x][k]);
    }
    __syncthreads();
  }
}

/// c of alpha string `row` and beta string `column` of a block, in x.
struct ReadVector {
  const double* x;
  std::int64_t ld, stride;
  __device__ double operator()(std::int64_t row, std::int64_t column) const {
    return x[(row * ld + column) * stride];
  }
};
struct WriteTransposed {
  double* c;
  std::int64_t ld;
  __device__ void operator()(std::int64_t row, std::int64_t column, double value) const {
    c[column * ld + row] = value;
  }
};
/// σ of beta string `row` and alpha string `column`, transposed, to y := α σ + β y.
struct WriteScaled {
  double* y;
  std::int64_t ld, stride;
  double alpha, beta;
  __device__ void operator()(std::int64_t row, std::int64_t column, double value) const {
    double& to = y[(column * ld + row) * stride];
    to = beta == 0.0 ? alpha * value : alpha * value + beta * to;
  }
};

inline __global__ void __launch_bounds__(listed_threads)
    copy_column(const double* x, std::int64_t stride, Index rows, double* to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * listed_threads + threadIdx.x;
  if (i < rows) to[i] = x[i * stride];
}

}  // namespace cisolve::listed_product
