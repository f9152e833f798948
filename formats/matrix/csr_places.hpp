#pragma once

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "core/threads/parallel.hpp"
#include "formats/matrix/csr_matrix.hpp"

// Places in a matrix: where an entry is, which row is the first of a kind, and how messages say so.

namespace cisolve::csr {

/// No row or column.
constexpr Index none = std::numeric_limits<Index>::max();

/// "row 3, column 2": places in messages count from 1.
inline std::string place(Index row, Index column) {
  return "row " + std::to_string(Offset{row} + 1) + ", column " +
         std::to_string(Offset{column} + 1);
}

inline std::string shape(const CsrMatrix& a) {
  return std::to_string(a.rows) + " × " + std::to_string(a.columns);
}

inline std::string text(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

/// An element of so many numbers: "1.5", "1.5-2i", "1+0i+2j-1k".
inline std::string text(const double* element, int components) {
  static constexpr const char* units[] = {"", "i", "j", "k"};
  std::string all;
  for (int c = 0; c < components; ++c) {
    const std::string number = text(element[c]);
    all += (c > 0 && number[0] != '-' ? "+" : "") + number + units[c];
  }
  return all;
}

/// The lowest row for which `offends(row)` holds, `none` where there is none; parallel.
template <class Predicate>
Index first_row(Index rows, Predicate offends) {
  Index first = none;
  FirstException exception;
  const bool shared = worth_threads(10.0 * rows);
#pragma omp parallel for if (shared) schedule(dynamic, 256) reduction(min : first)
  for (Index i = 0; i < rows; ++i) {
    exception.guard([&] {
      if (i < first && offends(i)) first = i;
    });
  }
  exception.rethrow();
  return first;
}

/// The place at which entry (row, column) is stored, −1 when it is not.
inline Offset find(const CsrMatrix& a, Index row, Index column) {
  constexpr Offset few = 64;  // are sooner counted than searched by halves
  const Index* const columns = a.column_indices.data() + a.row_offsets[row];
  const Offset length = a.row_length(row);
  Offset before = 0;
  if (length <= few) {
    int lower = 0;
#pragma omp simd reduction(+ : lower)
    for (int e = 0; e < static_cast<int>(length); ++e) lower += columns[e] < column ? 1 : 0;
    before = lower;
  } else {
    before = std::lower_bound(columns, columns + length, column) - columns;
  }
  return before < length && columns[before] == column ? a.row_offsets[row] + before : -1;
}

/// The numbers of a_ij, zeros where it is not stored.
inline const double* element_at(const CsrMatrix& a, Index row, Index column) {
  static constexpr double zeros[4] = {};
  const Offset p = find(a, row, column);
  return p < 0 ? zeros : a.values.data() + p * a.components;
}

}  // namespace cisolve::csr
