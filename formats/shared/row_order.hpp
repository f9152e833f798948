#pragma once

#include "core/array.hpp"
#include "core/types.hpp"

namespace cisolve {

/// The rows sorted by length, longest first, within each window of `window` ≥ 1 consecutive rows;
/// rows of one length keep their order. Element s is the row of A that is stored as row s.
/// `row_offsets`: rows + 1.
Array<Index> rows_by_length(const Array<Offset>& row_offsets, Offset window);

}  // namespace cisolve
