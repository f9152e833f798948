#pragma once

#include "formats/matrix/csr_matrix.hpp"

namespace cisolve::bench {

/// The CI matrix of all ways to put the electrons into an even number of spinors, for random
/// integrals over Kramers pairs. Its elements repeat as those of a molecule do: double excitations,
/// 0.95 of 20 spinors and 10 electrons, are ± an integral or its conjugate, one for two pairs of
/// spinors and, turned round in time, for two others; single ones sum over the spinors occupied.
CsrMatrix spinor_matrix(int spinors, int electrons);

}  // namespace cisolve::bench
