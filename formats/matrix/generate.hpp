#pragma once

#include <cstdint>

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// A CI-like pattern after Tables 3 and 4 of Computation 2018, 6, 45: dense reference columns
/// first, sparse expansion space after them. Every element off the diagonal is there with the
/// density of its region. The defaults are the paper's 32,768 × 32,768 matrix: about 655 nonzeros
/// of a row in the first 10 % of the columns and 295 elsewhere, 31.1 million in all.
struct CiPattern {
  Index rows = 32768;
  double reference_fraction = 0.1;  ///< of the columns, 0 … 1
  double reference_density = 0.2;   ///< 0 … 1
  double expansion_density = 0.01;  ///< 0 … 1
};

// Square matrices made from a seed, the same ones for any number of threads.
// The diagonal is always stored, a_ii = 1 + i / rows; other values are uniform in (−1, 1), divided
// by the mean number of nonzeros of a row. `symmetric` draws the elements below the diagonal and
// mirrors them; the regions of a CI pattern then are those of the smaller of row and column.
// All throw ResourceError when the host cannot hold the matrix.

CsrMatrix generate_ci(const CiPattern& pattern, std::uint64_t seed, bool symmetric);

/// Every element with |i − j| ≤ bandwidth.
CsrMatrix generate_banded(Index rows, Index bandwidth, std::uint64_t seed, bool symmetric);

/// `per_row` nonzeros of a row on average, anywhere.
CsrMatrix generate_random(Index rows, double per_row, std::uint64_t seed, bool symmetric);

/// Lengths of rows as a power law has them: `per_row · (e − 2) / (e − 1) · u^(−1 / (e − 1))` for a
/// row's uniform u and the exponent e > 2, `per_row` on average but for what exceeds a whole row;
/// columns anywhere.
CsrMatrix generate_power_law(Index rows, double per_row, double exponent, std::uint64_t seed,
                             bool symmetric);

/// Every neighbour on a grid of side^dimensions points: the 2·dimensions nearest, or with `box` all
/// 3^dimensions − 1 around a point. dimensions is 1, 2 or 3.
CsrMatrix generate_stencil(Index side, int dimensions, bool box, std::uint64_t seed,
                           bool symmetric);

/// Dense blocks of `block_size` rows and columns: those on the diagonal, and `per_row − 1` others
/// of a row of blocks on average, anywhere.
CsrMatrix generate_blocks(Index rows, Index block_size, double per_row, std::uint64_t seed,
                          bool symmetric);

/// `count` diagonals at offsets drawn from all there are, each element of them there with
/// `density`.
CsrMatrix generate_diagonals(Index rows, Index count, double density, std::uint64_t seed,
                             bool symmetric);

/// Runs of `length` consecutive columns, `per_row` nonzeros of a row on average, in columns within
/// `bandwidth` of the diagonal.
CsrMatrix generate_runs(Index rows, double per_row, Index length, Index bandwidth,
                        std::uint64_t seed, bool symmetric);

/// An arrow: the first `width` rows and columns dense, and a band of `bandwidth` beside the
/// diagonal.
CsrMatrix generate_arrow(Index rows, Index width, Index bandwidth, std::uint64_t seed,
                         bool symmetric);

/// A graph with hubs: `hubs` rows of `hub_length` nonzeros on average among rows of `per_row`, at
/// places drawn from the seed; columns anywhere.
CsrMatrix generate_hubs(Index rows, double per_row, Index hubs, double hub_length,
                        std::uint64_t seed, bool symmetric);

/// A recursive graph of 2^levels rows (R-MAT: Chakrabarti, Zhan, Faloutsos, SIAM Data Mining 2004):
/// of the quarters of a matrix, and of each of them in turn, the one on the upper left has
/// 0.25 + skew of the elements, the two beside it 0.25 each less a third of skew, as the last.
CsrMatrix generate_recursive(int levels, double per_row, double skew, std::uint64_t seed,
                             bool symmetric);

}  // namespace cisolve
