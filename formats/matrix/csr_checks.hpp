#pragma once

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

// Checks that read every entry once, of vectors of them.

/// True if a square real matrix, held whole, is its transpose bit for bit: the exclusive or of
///   h(a_ij, min(i, j), max(i, j)) over i ≠ j, a_ij ≠ 0,
/// is zero, since that of an entry and its mirror is. h multiplies the halves of a_ij's 64 bits,
/// mixed with the places, and then the halves of the product. About one in 10¹⁵ matrices that
/// differ from their transposes gives zero, too. O(nonzeros), 12 bytes an entry, parallel.
bool mirrors_cancel(const CsrMatrix& a);

/// True if columns ascend strictly within the rows and the matrix (from the diagonal on in an upper
/// triangle) and values are finite: columns descend where a row begins, and nowhere else. Offsets
/// are consistent. Parallel.
bool is_consistent(const CsrMatrix& a);

}  // namespace cisolve
