#pragma once

#include <memory>
#include <vector>

#include "backends/backend.hpp"
#include "backends/ranks/row_partition.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// A square matrix whose rows are distributed over ranks as vectors are: rank r has the rows that
/// `parts` says, with all columns, as `own_rows` in any format. A product gathers X from all ranks
/// and multiplies: rows() and columns() are this rank's. info() is of all ranks together.
///
/// `diagonal`: a_ii of this rank's rows. A rank without rows may have no `own_rows` worth the name:
/// they are not multiplied with. Called by all ranks, as every product is.
std::unique_ptr<LinearOperator> make_rank_operator(std::unique_ptr<LinearOperator> own_rows,
                                                   const std::vector<double>& diagonal,
                                                   Backend& backend, RowPartition parts);

}  // namespace cisolve
