#pragma once

#include "core/array.hpp"
#include "formats/csr_matrix.hpp"

namespace cisolve {

/// The rows sorted by length, longest first, within each window of `window` ≥ 1 consecutive rows;
/// rows of one length keep their order. Element s is the row of A that is stored as row s.
Array<Index> rows_by_length(const CsrMatrix& a, Offset window);

}  // namespace cisolve
