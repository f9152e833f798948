#pragma once

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {

/// Σ_ij w_i a_ij w_j and Σ_ij |w_i a_ij w_j| over the source's rows, with w_i = mixed_uniform(i),
/// or of another number of row i.
struct MixedSums {
  double elements = 0.0, magnitude = 0.0;
};

/// One pass over the rows on the CUDA backend given: rows are summed there, and over rows on the
/// host in order, so that the result is the same whatever the blocks are. 16·rows bytes of a block.
/// `numbers`: those of all rows of the matrix, in device memory; null: the rows' own.
CISOLVE_CUDA_FUNCTION(mixed_sums,
                      MixedSums(RowSource& rows, Backend& backend, const Index* numbers));

}  // namespace cisolve
