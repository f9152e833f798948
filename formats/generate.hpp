#pragma once

#include <cstdint>

#include "formats/csr_matrix.hpp"

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

}  // namespace cisolve
