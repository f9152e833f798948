#pragma once

#include "app/config/units.hpp"
#include "backends/backend.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Scale of a matrix for an eigensolver (EigenOptions::scale): the power of two not above
/// - a Hartree, in units that there are;
/// - the typical size of a row of a matrix without a unit: the median over the rows of
///   max(|a_ii − c|, 2 |Σ_{j≠i} w_j a_ij|), c the median of the diagonal, w random in [−1, 1):
///   equal elements must not cancel. Rows for which this is rounding do not count; of a multiple of
///   the identity |c| is taken, or 1.
/// A shift of the diagonal leaves it as it is, unless rounding leaves too little of it there, a
/// factor multiplies it, and a few rows that are much larger or smaller than the others do not
/// matter. Takes one product; of distributed rows all ranks call it, and have the same.
double scale_of(Units units, const LinearOperator& a, Backend& backend);

}  // namespace cisolve
