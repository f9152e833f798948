#pragma once

#include <array>

#include "core/dense/dense.hpp"
#include "core/dense/field.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

// A small m × k matrix over K is kept as a real dm × dk one: of every element a the d × d matrix of
// multiplication with it from the left, whose first column is a's components. Products and
// transposes of such are those of the matrices over K, their conjugates included; a Cholesky factor
// or an eigenvalue is that of the matrix over K. A K of one component changes nothing.

/// C := element (i, j) with these components.
inline void put_element(HostRef c, Eigen::Index i, Eigen::Index j, std::array<double, 4> a, int d) {
  for (int r = 0; r < d; ++r) {
    for (int q = 0; q < d; ++q) c(d * i + r, d * j + q) = a[r ^ q] * unit_sign(r ^ q, q);
  }
}

/// The real form of what the first columns of elements say: of a small remainder of larger numbers
/// rounding leaves none.
inline void restore_form(HostRef c, int d) {
  for (Eigen::Index i = 0; d > 1 && i < c.rows() / d; ++i) {
    for (Eigen::Index j = 0; j < c.cols() / d; ++j) {
      std::array<double, 4> element{};
      for (int r = 0; r < d; ++r) element[r] = c(d * i + r, d * j);
      put_element(c, i, j, element, d);
    }
  }
}

/// Eigenpairs of a self-adjoint m × m matrix over K of d components, given and returned as above:
/// m values, ascending, of vectors U over K. By LAPACK: dsyevd, zheevd, and of quaternions zheevd
/// of the complex 2m × 2m matrix that stands for A, whose every eigenvalue is there twice. Throws
/// std::runtime_error when LAPACK fails or A holds NaN.
SymmetricEigen field_eigen(const ConstHostRef& a, int d);

}  // namespace cisolve
