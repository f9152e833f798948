#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "core/dense/host_matrix_forward.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Part of a matrix that its host matrix holds.
enum class Storage {
  full,  ///< every entry
  upper  ///< of a symmetric matrix the diagonal and what is above it, j ≥ i
};

/// A sparse matrix in host memory, compressed sparse rows: the form in which readers and the
/// matrix builder hand a matrix over and from which every format is made.
///
/// Row i holds entries row_offsets[i] … row_offsets[i+1] − 1; columns ascend strictly within a
/// row. Symmetric matrices are held whole unless `storage` says otherwise. The functions of this
/// file but for is_exactly_symmetric and the formats that store a triangle take either; every other
/// user of a matrix needs it whole and refuses a triangle (`require_full`).
///
/// Elements are real, complex or quaternions: of `components` real numbers, 1, 2 or 4, side by side
/// in `values` (re, im; or 1, i, j, k). "Symmetric" is then a_ij = conj(a_ji). Who takes real
/// matrices alone refuses others (`require_real`).
struct CsrMatrix {
  Index rows = 0;
  Index columns = 0;
  Array<Offset> row_offsets;    ///< rows + 1
  Array<Index> column_indices;  ///< nonzeros
  Array<double> values;         ///< nonzeros × components
  Storage storage = Storage::full;
  int components = 1;     ///< real numbers of an element
  bool mirrored = false;  ///< known to be its transpose bit for bit: `validated` says

  /// Entries held.
  Offset nonzeros() const { return row_offsets.empty() ? 0 : row_offsets.back(); }
  Offset row_length(Index i) const { return row_offsets[i + 1] - row_offsets[i]; }
  /// Bytes of the three arrays for a matrix of this shape.
  static std::size_t bytes(Index rows, Offset nonzeros, int components = 1);
};

/// Entries of the matrix that `a` stands for: a mirrored entry counts twice.
Offset full_nonzeros(const CsrMatrix& a);

/// Throws InputError, naming `user`, on an upper triangle.
void require_full(const CsrMatrix& a, const std::string& user);

/// Throws InputError, naming `user`, where elements are not real.
void require_real(const CsrMatrix& a, const std::string& user);

/// The upper triangle of a symmetric (Hermitian) matrix, held so. Throws InputError as
/// require_symmetric does.
CsrMatrix upper_triangle(const CsrMatrix& a, const std::string& name);

/// Entries held per row.
struct RowStatistics {
  Offset minimum = 0;
  Offset maximum = 0;
  double mean = 0.0;
  Index longest_row = 0;  ///< the first with `maximum`
};
RowStatistics row_statistics(const CsrMatrix& a);

/// Throws InputError, naming `name` and the first offence (rows and columns counted from 1), unless
/// the matrix has rows and columns and its arrays are consistent: offsets ascend from 0 to the
/// length of the other two, columns ascend strictly within the row and range (from the diagonal on
/// in an upper triangle), values are finite and `components` of them an element.
void validate(const CsrMatrix& a, const std::string& name);

/// The matrix once `validate` has passed it; the same reading of the entries tells if it is
/// `mirrored`.
CsrMatrix validated(CsrMatrix a, const std::string& name);

/// Sorts the entries of every row by column, for readers of files that do not promise it; parallel.
/// Throws InputError, naming `name`, when the offsets are inconsistent; columns are not checked.
void sort_rows(CsrMatrix& a, const std::string& name);

/// Throws InputError naming the first pair (row-wise) that differs unless A = A† within
/// |a_ij − conj(a_ji)| ≤ tolerance · the largest magnitude in rows i and j, of diagonal elements a
/// hundredth; an upper triangle is symmetric by its meaning, so that of a complex one the diagonal
/// alone is looked at, which is to be real. O(nonzeros), parallel.
void require_symmetric(const CsrMatrix& a, const std::string& name, double tolerance = 1e-12);
/// True if require_symmetric takes the matrix.
bool is_symmetric(const CsrMatrix& a, double tolerance = 1e-12);

/// True when A and A† are the same arrays: the same entries stored, and a_ij the same as conj(a_ji)
/// bit for bit (but for the sign of a zero imaginary part). O(nonzeros), parallel. Refuses an upper
/// triangle.
bool is_exactly_symmetric(const CsrMatrix& a);

/// The real part of A_ii for every row, 0 where nothing is stored; `first`: which row of the whole
/// matrix its first one is.
std::vector<double> diagonal(const CsrMatrix& a, Index first = 0);

/// The matrix of some rows: row i is row wanted[i] of A.
CsrMatrix selected_rows(const CsrMatrix& a, std::span<const Index> wanted);

/// The dense matrix A_PP for rows P, in P's order. For elements of d real numbers, here and below,
/// it is the real form: d·p × d·p, block (i, j) the d × d matrix of multiplication with a_ij from
/// the left.
HostMatrix principal_submatrix(const CsrMatrix& a, std::span<const Index> rows);
/// The entries held in these rows and columns, dense, in their order: rows × columns, zero
/// elsewhere.
HostMatrix dense_part(const CsrMatrix& a, std::span<const Index> rows,
                      std::span<const Index> columns);

/// The dense blocks of `size` rows along the diagonal of a square matrix, one below another: n ×
/// size, the last block of what is left of n; size ≤ n. Refuses elements that are not real.
HostMatrix diagonal_blocks(const CsrMatrix& a, Index size);

}  // namespace cisolve
