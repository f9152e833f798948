#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda_module.hpp"
#include "backends/view.hpp"
#include "core/array.hpp"
#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "spmv/block_width.hpp"

namespace cisolve {

// The upper triangle and diagonal of a symmetric matrix in CSR: half the memory of CSR. A stored
// entry a_ij, j ≥ i, serves twice:
//   y_i += a_ij x_j   and, for j > i,   y_j += a_ij x_i.
// The upper entry stands for both also where a_ij and a_ji differ by what is_symmetric allows. For
// a matrix over the complex numbers or quaternions the second is y_j += conj(a_ij) x_i. Bytes: 12 ·
// (nonzeros + diagonal entries) / 2 + 8 · (rows + 1), 4 + 8 D an entry of D numbers.

/// The matrix itself where it is an upper triangle, else a copy of its triangle. Throws InputError
/// unless it is symmetric (is_symmetric), which that format needs.
std::shared_ptr<const CsrMatrix> upper_part(std::shared_ptr<const CsrMatrix> a,
                                            const std::string& format);

/// Rows [starts[p], starts[p + 1]), over elements, are part p, with about as many entries as every
/// other. A part adds to its own rows of Y directly, and to a buffer where it reaches rows behind
/// them; buffers are added to Y in the order of the parts. So a product has the same bits for one
/// partition, whatever thread takes which part when.
struct SymmetricPartition {
  std::vector<Index> starts;           ///< parts + 1
  std::vector<Offset> buffer_offsets;  ///< parts + 1: rows of the buffers before part p's
  int width = 8;                       ///< vectors at once
  int components = 1;                  ///< real numbers of an element

  int parts() const { return static_cast<int>(starts.size()) - 1; }
  /// Bytes of all buffers: 8 · width · components · Σ_p (rows − starts[p + 1]).
  std::size_t scratch_bytes() const;
  /// The buffers. Throws ResourceError, naming the format, when there is no room for them.
  Array<double> make_scratch(const std::string& format) const;

  /// f(std::integral_constant<int, K>, first vector) for so many vectors, `width` at once.
  template <class F>
  void for_each_block(int vectors, F f) const {
    for (int begin = 0; begin < vectors; begin += width) {
      for_each_piece(std::min(width, vectors - begin),
                     [&](auto piece, int first) { f(piece, begin + first); });
    }
  }
  /// Part p's buffer for K vectors of D components: D·K numbers for every row from starts[p + 1]
  /// on.
  template <int D, int K>
  double* buffer(Array<double>& scratch, int p) const {
    return scratch.data() + buffer_offsets[p] * (D * K);
  }
  /// Adds row i of all buffers to that of Y.
  template <int D, int K>
  void add_buffers(Array<double>& scratch, Index i, View y) const {
    for (int p = 0; starts[p + 1] <= i; ++p) {
      const double* from = buffer<D, K>(scratch, p) + Offset{i - starts[p + 1]} * (D * K);
      for (int c = 0; c < D; ++c) {
        double* to = y.data + (Offset{i} * D + c) * y.stride;
        for (int j = 0; j < K; ++j) to[j] += from[c * K + j];
      }
    }
  }
  /// βY, of the part's own rows.
  template <int D, int K>
  void scale_part(int p, double beta, View y) const {
    for (Offset i = Offset{starts[p]} * D; i < Offset{starts[p + 1]} * D; ++i) {
      double* to = y.data + i * y.stride;
      for (int j = 0; j < K; ++j) to[j] = beta == 0.0 ? 0.0 : beta * to[j];
    }
  }
};

/// As many parts as threads, or as there are windows, and vectors at once as the buffers have room
/// for in a quarter of the matrix's bytes (or 16 MB): first fewer vectors, then fewer parts. Parts
/// begin at multiples of `window` rows. Only rows and row offsets of `upper`, an upper triangle,
/// are read.
SymmetricPartition partition_rows(const CsrMatrix& upper, int threads, Index window = 1);

/// max_i Σ_j |a_ij| over the rows of the matrix whose upper triangle this is, of elements of
/// several numbers the sum of their magnitudes: ‖AX‖ ≤ it · ‖X‖ in the largest number. Serial, so
/// that it has the same bits always.
double largest_row_sum(const CsrMatrix& upper);

Format::Maker make_csr_symmetric_cpu;
CISOLVE_CUDA_FUNCTION(make_csr_symmetric_cuda, Format::Maker);

}  // namespace cisolve
