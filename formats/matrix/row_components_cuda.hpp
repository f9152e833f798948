#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {

/// The connected components of the graph of a symmetric matrix: the lowest row of every row's
/// component, all the matrix's, as far as the source's rows connect them. One pass over these,
/// O(nonzeros), on the CUDA backend given, with 4·columns bytes of its memory beside the source's.
/// `sectors_of_roots` numbers them.
CISOLVE_CUDA_FUNCTION(component_roots, std::vector<Index>(RowSource& rows, Backend& backend));

}  // namespace cisolve
