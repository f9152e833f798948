#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "formats/matrix/csr_matrix.hpp"
#include "formats/matrix/row_source.hpp"
#include "formats/packed/packed.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Fingerprint of a matrix, equal for whole and half storage, any number of threads and any
/// backend. With r_i the SplitMix64 number of row i and w_i the same as a number in [−1, 1):
struct Fingerprint {
  std::int64_t rows = 0, nonzeros = 0;  ///< nonzeros −1, row_lengths 0: not known
  std::uint64_t row_lengths = 0;        ///< Σ r_i · entries of row i, modulo 2^64
  double elements = 0.0;                ///< wᵀAw
  /// Σ |w_i a_ij w_j|, to which rounding of `elements` is relative; where a product is all there is
  /// Σ_i |w_i Σ_j a_ij w_j|.
  double magnitude = 0.0;
  /// Real numbers of an element: of several `rows` are all numbers of a vector, and the sums are
  /// those of the real form, by which A multiplies them.
  int components = 1;
};

/// O(nonzeros), parallel. For a part of a matrix, its rows from `first` on: their contribution to
/// the sums.
Fingerprint fingerprint(const CsrMatrix& a, Index first = 0);

/// Fingerprint of rows that come to that CUDA device, in one pass. For part of a matrix: its terms
/// of the sums. `numbers`: the rows' numbers in the whole matrix; empty: unchanged.
Fingerprint fingerprint(RowSource& rows, Backend& backend, std::span<const Index> numbers = {});

/// Fingerprint of a packed matrix with those row offsets: one pass over its entries, parallel.
Fingerprint fingerprint(const PackedMatrix& m, std::span<const Offset> row_offsets);

/// Fingerprint::row_lengths of a matrix held whole, from its row offsets alone: O(rows). For rows
/// from `first` on: their contribution to it. `numbers`: those of the rows elsewhere, if they
/// differ.
std::uint64_t row_lengths_fingerprint(std::span<const Offset> row_offsets, Index first = 0,
                                      std::span<const Index> numbers = {});
inline std::uint64_t row_lengths_fingerprint(const CsrMatrix& a) {
  return row_lengths_fingerprint(a.row_offsets);
}

/// Fingerprint of a symmetric matrix known by products alone: one product, over the backend's
/// ranks.
Fingerprint fingerprint(const LinearOperator& a, Backend& backend);
/// Fingerprint of a matrix with other numbers of rows: number(i) is that of this rank's row i.
Fingerprint fingerprint(const LinearOperator& a, Backend& backend,
                        const std::function<std::int64_t(Index)>& number);

/// Empty where both are of one matrix, as far as both are known; else which of rows, nonzeros, row
/// lengths and elements differ: "rows: found 4, expected 7".
std::string difference(const Fingerprint& found, const Fingerprint& expected);

}  // namespace cisolve
