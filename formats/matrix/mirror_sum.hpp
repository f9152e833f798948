#pragma once

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// Whether a square matrix, held whole, is its transpose bit for bit, as one pass over its entries
/// tells:
///   Σ_p h(a_ij) f_i f_j (f_j − f_i) mod 2⁶⁴
/// with random numbers f of the rows and h of the values. It is antisymmetric in i and j, so that
/// an entry and its mirror cancel. Of matrices that differ from their transposes about one in 10¹⁸
/// has a sum of zero all the same. O(nonzeros), 20 bytes an entry, parallel.
bool mirrors_cancel(const CsrMatrix& a);

}  // namespace cisolve
