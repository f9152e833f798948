#pragma once

#include <string>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// The transpose of A, elements not conjugated, in `t`, a matrix of its rows and columns whose
/// arrays have their lengths.
CsrMatrix transposed(const CsrMatrix& a, CsrMatrix t);

/// (A + Aᵀ)/2, exactly symmetric, with an entry wherever A or Aᵀ has one; an upper triangle is
/// symmetric by its meaning and comes back as it is. O(nonzeros); beside A it takes up to three
/// times the memory of A. Throws InputError, naming `name`, unless A is square and real.
CsrMatrix symmetrized(const CsrMatrix& a, const std::string& name);

}  // namespace cisolve
