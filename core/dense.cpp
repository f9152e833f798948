#include "core/dense.hpp"

#include <lapacke.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace cisolve {

SymmetricEigen symmetric_eigen(const HostMatrix& a, int count) {
  const auto n = static_cast<lapack_int>(a.rows());
  const lapack_int wanted = count < 0 || count > n ? n : count;
  SymmetricEigen result{HostVector(wanted), HostMatrix(n, wanted)};
  if (n == 0 || wanted == 0) return result;
  if (!a.allFinite()) throw std::runtime_error("symmetric_eigen: the matrix holds NaN or infinity");

  // A is symmetric, so its row-major upper triangle is LAPACK's column-major lower one; working in
  // column-major order spares LAPACKE's transposed copies.
  Eigen::MatrixXd work = a.transpose();
  Eigen::MatrixXd vectors(n, wanted);
  HostVector values(n);
  std::vector<lapack_int> support(2 * static_cast<std::size_t>(n));
  lapack_int found = 0;
  const char range = wanted == n ? 'A' : 'I';
  const lapack_int info =
      LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', range, 'L', n, work.data(), n, 0.0, 0.0, 1, wanted, 0.0,
                     &found, values.data(), vectors.data(), n, support.data());
  if (info != 0 || found != wanted) {
    throw std::runtime_error("symmetric_eigen: LAPACK dsyevr failed, info " + std::to_string(info));
  }
  result.values = values.head(wanted);
  result.vectors = vectors;
  return result;
}

}  // namespace cisolve
