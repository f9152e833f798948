#pragma once

#include "core/host_matrix.hpp"

namespace cisolve {

/// Eigenpairs of a real symmetric matrix, ascending; column j of `vectors` belongs to values[j].
struct SymmetricEigen {
  HostVector values;   ///< m
  HostMatrix vectors;  ///< n × m, orthonormal columns
};

/// The `count` lowest eigenpairs (all when count < 0) of the symmetric n × n matrix A by LAPACK's
/// dsyevd; its upper triangle alone is read. Throws std::runtime_error when LAPACK fails or A
/// holds NaN.
SymmetricEigen symmetric_eigen(const HostMatrix& a, int count = -1);

}  // namespace cisolve
