#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {

/// The connected components of the graph of a symmetric matrix: the lowest row of every row's
/// component. One pass over the rows, O(nonzeros), on the CUDA backend given, with 4·rows bytes of
/// its memory beside the source's. `sectors_of_roots` numbers them.
CISOLVE_CUDA_FUNCTION(component_roots, std::vector<Index>(RowSource& rows, Backend& backend));

}  // namespace cisolve
