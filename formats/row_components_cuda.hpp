#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "formats/row_source.hpp"

namespace cisolve {

/// The connected components of the graph of a symmetric matrix: the lowest row of every row's
/// component. One pass over the rows, O(nonzeros), on the CUDA backend given, with 4·rows bytes of
/// its memory beside the source's. `sectors_of_roots` numbers them.
std::vector<Index> component_roots(RowSource& rows, Backend& backend);

}  // namespace cisolve
