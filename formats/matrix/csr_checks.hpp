#pragma once

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

// Checks that read every entry once, of vectors of them.

/// True if a square real matrix, held whole, is its transpose bit for bit:
///   Σ_p h(a_ij) f_i f_j (f_j − f_i) = 0 mod 2⁶⁴
/// with random odd numbers f of the rows and random ones h of the values, h(0) = 0. The terms are
/// antisymmetric in i and j, so that an entry and its mirror cancel. About one in 10¹⁷ matrices
/// that differ from their transposes has a sum of zero, too. O(nonzeros), 20 bytes an entry,
/// parallel.
bool mirrors_cancel(const CsrMatrix& a);

/// True if columns ascend strictly within the rows and the matrix (from the diagonal on in an upper
/// triangle) and values are finite: columns descend where a row begins, and nowhere else. Offsets
/// are consistent. Parallel.
bool is_consistent(const CsrMatrix& a);

}  // namespace cisolve
