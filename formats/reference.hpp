#pragma once

#include "core/dense/host_matrix.hpp"

namespace cisolve {

struct CsrMatrix;

/// AX by the plainest serial loop, against which every kernel is tested. A is real and held whole.
HostMatrix reference_product(const CsrMatrix& a, const HostMatrix& x);
/// Product into Y, which is rows × k already.
void reference_product(const CsrMatrix& a, const HostMatrix& x, HostMatrix& y);

/// AX row by row in extended precision, rounded once to double; in parallel over rows.
HostMatrix extended_product(const CsrMatrix& a, const HostMatrix& x);

}  // namespace cisolve
