#pragma once

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Findings of one reading of all entries.
struct EntryChecks {
  /// Columns ascend strictly within the rows and the matrix (from the diagonal on in an upper
  /// triangle) and values are finite.
  bool consistent = false;
  /// A square real matrix, held whole and consistent, is its transpose bit for bit: the exclusive
  /// or of
  ///   h(a_ij, min(i, j), max(i, j)) over i ≠ j, a_ij ≠ 0,
  /// is zero, since that of an entry and its mirror is. h multiplies the halves of a_ij's 64 bits,
  /// mixed with the places, and then the halves of the product. About one in 10¹⁵ matrices that
  /// differ from their transposes gives zero, too.
  bool mirrored = false;
};

/// The checks of a matrix whose offsets are consistent. O(nonzeros), 12 bytes an entry in one pass
/// of vectors of them, parallel.
EntryChecks check_entries(const CsrMatrix& a);

}  // namespace cisolve
