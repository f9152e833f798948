#pragma once

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve {

/// αA + βB, both real, held whole and of one shape. O(nonzeros), parallel.
CsrMatrix weighted_sum(double alpha, const CsrMatrix& a, double beta, const CsrMatrix& b);

}  // namespace cisolve
