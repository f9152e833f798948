#include <algorithm>
#include <cstdint>
#include <memory>

#include "backends/cuda/check.hpp"
#include "backends/cuda/cublas.hpp"
#include "backends/cuda/warp.cuh"
#include "hamiltonian/three_particle/excitation_lists.hpp"
#include "hamiltonian/three_particle/removal_grams.hpp"

namespace cisolve {
namespace {

constexpr int row_threads = 256;
constexpr int transposed_tile = 32;

/// Doubles of what is multiplied at a time, where a single string's are not more.
constexpr std::int64_t most_of_tile = std::int64_t{1} << 27;

/// Blocks that the second dimension of a grid has at most.
constexpr std::int64_t most_of_grid = 65535;

/// RemovedVectors for kernels.
struct Removed {
  explicit Removed(const RemovedVectors& of)
      : vectors(of.vectors),
        width(of.width),
        entries(of.own->entries.data()),
        labels(of.own->labels.data()),
        table(of.other != nullptr ? of.other->entries.data() : nullptr),
        sources(of.own->sources),
        own_operators(of.own->operators),
        own(of.own->rows),
        others(of.other_operators()),
        rows(of.rows()),
        columns(of.columns()) {}

  const double* vectors;
  Index width;
  const Index *entries, *labels, *table;
  Index sources;
  int own_operators, own, others, rows;
  Index columns;

  __device__ int removal(int row) const { return row / others % own; }
  __device__ int vector(int row) const { return row / others / own; }
  /// The number of an operator that leads to a target.
  __device__ std::int64_t number(Index target, int row) const {
    const Index label = labels[std::int64_t{target} * own + removal(row)];
    return (std::int64_t{vector(row)} * own_operators + label) * others + row % others;
  }
};

/// The rows that lead to targets first, first + 1, … of `ld` doubles each, zero behind the columns.
/// Grid: rows × targets.
__global__ void __launch_bounds__(row_threads)
    write_rows(Removed of, Index first, std::int64_t ld, double* out) {
  const auto row = static_cast<int>(blockIdx.x);
  const Index target = first + static_cast<Index>(blockIdx.y);
  const Index entry = of.entries[std::int64_t{target} * of.own + of.removal(row)];
  const double* const from =
      of.vectors + (std::int64_t{of.vector(row)} * of.sources + abs(entry) - 1) * of.width;
  const Index* const table =
      of.table == nullptr ? nullptr : of.table + std::int64_t{row % of.others} * of.columns;
  double* const to = out + (std::int64_t{blockIdx.y} * of.rows + row) * ld;
  for (Index b = threadIdx.x; b < ld; b += row_threads) {
    Index e = b < of.columns ? b + 1 : 0;
    if (table != nullptr && e != 0) e = table[b];
    const double value = e == 0 ? 0.0 : from[abs(e) - 1];
    to[b] = (e < 0) == (entry < 0) ? value : -value;
  }
}

/// Adds the product of a target's rows where their operators are. Grid: rows of left.
__global__ void __launch_bounds__(row_threads)
    add_product(Removed left, Removed right, Index target, const double* product,
                std::int64_t columns, double* sum) {
  const auto row = static_cast<int>(blockIdx.x);
  double* const to = sum + left.number(target, row) * columns;
  for (int j = threadIdx.x; j < right.rows; j += row_threads) {
    to[right.number(target, j)] += product[std::int64_t{row} * right.rows + j];
  }
}

/// X_pq of both spins of x at strings first, first + 1, …: element (string, column) of pair t is
/// t · stride + string · columns + column; `out` is zero before. Grid: strings · column blocks.
__global__ void __launch_bounds__(row_threads)
    excite(const Index* own_entries, const Index* own_pairs, int own_links,
           const Index* other_entries, const Index* other_pairs, int other_links, const double* x,
           Index columns, unsigned column_blocks, Index first, std::int64_t stride, double* out) {
  const std::int64_t b = std::int64_t{blockIdx.x} % column_blocks * row_threads + threadIdx.x;
  if (b >= columns) return;
  const Index own = static_cast<Index>(blockIdx.x / column_blocks), string = first + own;
  double* const to = out + std::int64_t{own} * columns + b;
  for (int i = 0; i < own_links; ++i) {
    const std::int64_t at = std::int64_t{string} * own_links + i;
    const Index entry = own_entries[at];
    const double value = x[std::int64_t{abs(entry) - 1} * columns + b];
    to[own_pairs[at] * stride] += entry > 0 ? value : -value;
  }
  const double* const row = x + std::int64_t{string} * columns;
  for (int i = 0; i < other_links; ++i) {
    const std::int64_t at = std::int64_t{b} * other_links + i;
    const Index entry = other_entries[at];
    const double value = row[abs(entry) - 1];
    to[other_pairs[at] * stride] += entry > 0 ? value : -value;
  }
}

/// V_c += Σ_e a_e W_ce of W at strings first … last − 1, rows c m + e of `stride` elements.
/// Grid: targets · column blocks × c.
__global__ void __launch_bounds__(row_threads)
    remove_electron(const Index* entries, const Index* labels, int rows, const double* w, int m,
                    Index columns, unsigned column_blocks, Index targets, Index first, Index last,
                    std::int64_t stride, double* v) {
  const std::int64_t b = std::int64_t{blockIdx.x} % column_blocks * row_threads + threadIdx.x;
  if (b >= columns) return;
  const std::int64_t target = blockIdx.x / column_blocks, c = blockIdx.y;
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
    const Index entry = entries[target * rows + i], string = abs(entry) - 1;
    if (string < first || string >= last) continue;
    const double value = w[(c * m + labels[target * rows + i]) * stride +
                           std::int64_t{string - first} * columns + b];
    sum += entry > 0 ? value : -value;
  }
  v[(c * targets + target) * columns + b] += sum;
}

/// Grid: row tiles · column tiles.
__global__ void __launch_bounds__(transposed_tile* transposed_tile)
    transpose_matrix(const double* x, Index rows, Index columns, unsigned row_tiles, double* y) {
  __shared__ double tile[transposed_tile][transposed_tile + 1];
  const std::int64_t i0 = std::int64_t{blockIdx.x % row_tiles} * transposed_tile,
                     j0 = std::int64_t{blockIdx.x / row_tiles} * transposed_tile;
  std::int64_t i = i0 + threadIdx.y, j = j0 + threadIdx.x;
  if (i < rows && j < columns) tile[threadIdx.y][threadIdx.x] = x[i * columns + j];
  __syncthreads();
  i = i0 + threadIdx.x;
  j = j0 + threadIdx.y;
  if (i < rows && j < columns) y[j * rows + i] = tile[threadIdx.x][threadIdx.y];
}

class RemovalGramsCuda final : public RemovalGrams {
 public:
  RemovalGramsCuda(int orbitals, int electrons, int others, Backend& backend)
      : orbitals_(orbitals),
        backend_(backend),
        removals_(StringRemovals(orbitals, electrons, 1), backend),
        own_(ExcitationLists(orbitals, electrons), backend),
        others_(ExcitationLists(orbitals, others), backend),
        columns_(AllStrings(orbitals, others).size()) {}

  HostMatrix gram(const RemovedVectors& left, const RemovedVectors& right) const override {
    const Removed l(left), r(right);
    HostMatrix found = HostMatrix::Zero(left.operators(), right.operators());
    if (l.rows == 0 || r.rows == 0 || l.columns == 0 || left.own->targets == 0) return found;
    const bool same = &left == &right;
    const std::int64_t ld = (std::int64_t{l.columns} + 15) / 16 * 16;
    const std::int64_t of_product = std::int64_t{l.rows} * r.rows;
    const std::int64_t of_target = (l.rows + (same ? 0 : r.rows)) * ld + of_product;
    const auto together = static_cast<Index>(std::clamp<std::int64_t>(
        most_of_tile / of_target, 1, std::min<std::int64_t>(left.own->targets, most_of_grid)));
    Buffer<double> rows(backend_, static_cast<std::size_t>(together * of_target));
    Buffer<double> sum(backend_, static_cast<std::size_t>(found.size()));
    clear(sum.data(), found.size());
    double* const of_left = rows.data();
    double* const of_right = same ? of_left : of_left + together * l.rows * ld;
    double* const products = of_right + together * r.rows * ld;
    for (Index first = 0; first < left.own->targets; first += together) {
      const Index count = std::min(together, left.own->targets - first);
      write(l, first, count, ld, of_left);
      if (!same) write(r, first, count, ld, of_right);
      clear(products, count * of_product);
      // A row-major matrix is to cuBLAS a column-major one, transposed.
      cublas_.add_gemms(CUBLAS_OP_T, CUBLAS_OP_N, r.rows, l.rows, ld, of_right, ld, r.rows * ld,
                        of_left, ld, l.rows * ld, products, r.rows, of_product, count,
                        "what is left without three electrons");
      for (Index i = 0; i < count; ++i) {
        add_product<<<l.rows, row_threads>>>(l, r, first + i, products + i * of_product,
                                             found.cols(), sum.data());
      }
      check_launch("adding up what is left without three electrons");
    }
    backend_.download_bytes(sum.data(), found.data(), found.size() * sizeof(double));
    return found;
  }

  void contract(const double* x, const HostMatrix& integrals, int first, int count,
                double* v) const override {
    const std::int64_t pairs = integrals.cols(), rows = std::int64_t{count} * orbitals_;
    if (removals_.targets == 0 || columns_ == 0) return;
    Buffer<double> g(backend_, static_cast<std::size_t>(rows * pairs));
    backend_.upload_bytes(integrals.row(Eigen::Index{first} * orbitals_).data(), g.data(),
                          rows * pairs * sizeof(double));
    clear(v, std::int64_t{count} * removals_.targets * columns_);
    const auto together = static_cast<Index>(
        std::clamp<std::int64_t>(most_of_tile / ((pairs + rows) * columns_), 1, removals_.sources));
    Buffer<double> tile(backend_, static_cast<std::size_t>((pairs + rows) * together * columns_));
    const unsigned column_blocks = blocks_of(columns_, row_threads);
    for (Index a = 0; a < removals_.sources; a += together) {
      const Index strings = std::min(together, removals_.sources - a);
      const std::int64_t stride = std::int64_t{strings} * columns_;
      double* const t = tile.data();
      double* const w = t + pairs * stride;
      clear(t, pairs * stride);
      excite<<<strings * column_blocks, row_threads>>>(
          own_.entries.data(), own_.pairs.data(), own_.links, others_.entries.data(),
          others_.pairs.data(), others_.links, x, columns_, column_blocks, a, stride, t);
      check_launch("exciting electrons of either spin");
      cublas_.gemm(CUBLAS_OP_N, CUBLAS_OP_N, stride, rows, pairs, 1.0, t, stride, g.data(), pairs,
                   0.0, w, stride, "integrals with excitations");
      remove_electron<<<dim3(removals_.targets * column_blocks, count), row_threads>>>(
          removals_.entries.data(), removals_.labels.data(), removals_.rows, w, orbitals_, columns_,
          column_blocks, removals_.targets, a, a + strings, stride, v);
      check_launch("taking an electron away");
    }
    backend_.synchronize();
  }

  void transpose(const double* x, Index rows, Index columns, double* y) const override {
    if (rows == 0 || columns == 0) return;
    const unsigned row_tiles = blocks_of(rows, transposed_tile);
    transpose_matrix<<<row_tiles * blocks_of(columns, transposed_tile),
                       dim3(transposed_tile, transposed_tile)>>>(x, rows, columns, row_tiles, y);
    check_launch("transposing");
  }

 private:
  /// ExcitationLists in the device's memory.
  struct Lists {
    Lists(const ExcitationLists& lists, Backend& backend)
        : links(lists.links),
          entries(Buffer<Index>::from_host(backend, lists.entries)),
          pairs(Buffer<Index>::from_host(backend, lists.pairs)) {}
    int links;
    Buffer<Index> entries, pairs;
  };

  static void clear(double* begin, std::int64_t doubles) {
    check_cuda(cudaMemsetAsync(begin, 0, doubles * sizeof(double)), "clearing sums");
  }
  static void write(const Removed& of, Index first, Index count, std::int64_t ld, double* out) {
    write_rows<<<dim3(of.rows, count), row_threads>>>(of, first, ld, out);
    check_launch("taking electrons away");
  }

  int orbitals_;
  Backend& backend_;
  RemovalTables removals_;
  Lists own_, others_;
  Index columns_;
  mutable Cublas cublas_;
};

}  // namespace

std::unique_ptr<RemovalGrams> CISOLVE_IN_MODULE(make_removal_grams_cuda)(int orbitals,
                                                                         int electrons, int others,
                                                                         Backend& backend) {
  return std::make_unique<RemovalGramsCuda>(orbitals, electrons, others, backend);
}

}  // namespace cisolve
