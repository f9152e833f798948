#pragma once

#include <cstddef>
#include <type_traits>

#include "formats/format.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// The values of a matrix whose off-diagonal elements are stored in single precision.
struct SingleValues {
  /// In the order of the matrix's entries, to nearest; 0 on the diagonal, which is kept in double
  /// beside them.
  Array<float> values;
  double rounding_error = 0.0;  ///< max_i Σ_j |a_ij − â_ij|: LinearOperator::rounding_error
};

/// O(nonzeros), parallel. Throws InputError naming the first off-diagonal element (row and column
/// from 1) that is not finite in single precision (|a_ij| ≥ 3.4e38, NaN), ResourceError where the
/// host cannot hold the values.
SingleValues round_off_diagonals(const CsrMatrix& a);

/// Facts of stored values of that type. Beside single ones the diagonal is kept apart, in double.
template <class Value>
inline constexpr Precision precision_of =
    std::is_same_v<Value, float> ? Precision::float32 : Precision::float64;
template <class Value>
inline constexpr bool diagonal_apart = precision_of<Value> == Precision::float32;

/// Bytes of so many stored elements with their columns and, where it is kept apart, the diagonal of
/// a matrix of so many rows.
inline std::size_t entry_bytes(Offset entries, Index rows, Precision precision,
                               int components = 1) {
  const bool single = precision == Precision::float32;
  return static_cast<std::size_t>(entries) *
             (sizeof(Index) + components * (single ? sizeof(float) : sizeof(double))) +
         (single ? static_cast<std::size_t>(rows) * sizeof(double) : 0);
}

}  // namespace cisolve
