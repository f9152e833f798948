#pragma once

#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve::hard {

/// Matrices over the complex numbers (d = 2) and quaternions (4) with the eigenvalues of a real
/// one. With phases: conj(φ_i) a_ij φ_j, each φ of length one. With rotations: also UᴴAU, U unitary
/// over neighbouring rows.
CsrMatrix with_phases(const HostMatrix& real, int d, unsigned seed);
CsrMatrix rotated_over(const HostMatrix& real, int d, unsigned seed);

/// The complex 2n × 2n matrix that a matrix of quaternions stands for, which has each eigenvalue
/// twice; rows of a pair are neighbours.
CsrMatrix in_pairs(const CsrMatrix& quaternions);

}  // namespace cisolve::hard
