#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/types.hpp"
#include "solvers/inner_block.hpp"
#include "solvers/sectors.hpp"

namespace cisolve {

/// Elements of A that the solvers know: the primary space P, the rows with the lowest diagonal
/// elements, where the lowest eigenvectors have most of their weight, and the matrix over them; and
/// the blocks into which A falls.
///
/// If vectors are distributed over ranks, the rows of P are numbered over all of them, and its
/// matrix is whole. `sectors` has the sizes of all rows and, even if sizes would suffice, labels of
/// this rank's rows.
///
/// For a matrix over K all components of an element are rows, and `matrix` is the real form.
struct PSpace {
  std::vector<Index> rows;                       ///< ascending
  HostMatrix matrix;                             ///< A_PP
  Sectors sectors = {};                          ///< empty: A counts as one block
  double seconds = 0.0;                          ///< that finding these took, part of the solve's
  std::shared_ptr<const InnerBlock> inner = {};  ///< of one rank; null: none
};

/// The rows of the `size` lowest diagonal elements, ascending by row, with every row whose element
/// is degenerate with the last, to 1e-9 of the diagonal's typical distance from its lowest element,
/// so that shells are taken whole; only where that would
/// pass 2·size rows the last shell is cut there.
std::vector<Index> lowest_diagonal_rows(std::span<const double> diagonal, int size);

/// The rows of a P of `size`, or where that is 0 of a size chosen: 1500, or fewer where
/// diagonalising A_PP, sector by sector, would take longer than the products that it is expected to
/// save on that backend, of a matrix with so many nonzeros and rows. The time of some sixty rows is
/// always allowed on the CPU, that of 140 on a GPU, whose products are a few hundred times faster.
/// Over K of d components a row is d real ones, of which 1500 are the most. A shell that is too
/// large for that is left out whole, for a part of it helps little; where it is the only one, P is
/// ten to twenty of its rows.
std::vector<Index> p_space_rows(std::span<const double> diagonal, const Sectors& sectors,
                                Offset nonzeros, int states, int size, BackendKind backend,
                                int components = 1);

/// The largest P that may be chosen where `size` is 0, else `size`; ≤ rows.
Index largest_p_space(int size, Index rows, int components = 1);

}  // namespace cisolve
