#pragma once

#include <span>
#include <vector>

#include "core/host_matrix.hpp"
#include "core/types.hpp"

namespace cisolve {

/// The primary space P: the rows with the lowest diagonal elements, where the lowest eigenvectors
/// have most of their weight, and the matrix over them.
struct PSpace {
  std::vector<Index> rows;  ///< ascending
  HostMatrix matrix;        ///< A_PP
};

/// The rows of the `size` lowest diagonal elements, ascending by row, with every row whose element
/// is degenerate (within 1e-8) with the last, so that shells are taken whole; only where that would
/// pass 2·size rows the last shell is cut there.
std::vector<Index> lowest_diagonal_rows(std::span<const double> diagonal, int size);

}  // namespace cisolve
