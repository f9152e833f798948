#include "core/dense/field_matrix.hpp"

#include <lapacke.h>

#include <complex>
#include <stdexcept>
#include <string>

#include "core/threads/blas_threads.hpp"

namespace cisolve {
namespace {

using Complex = std::complex<double>;
using ComplexMatrix = Eigen::MatrixXcd;

/// A := its eigenvectors.
HostVector hermitian_eigen(ComplexMatrix& a) {
  const auto n = static_cast<lapack_int>(a.rows());
  HostVector values(n);
  const BlasThreads threads(n);
  const lapack_int info =
      LAPACKE_zheevd(LAPACK_COL_MAJOR, 'V', 'L', n,
                     reinterpret_cast<lapack_complex_double*>(a.data()), n, values.data());
  if (info != 0) {
    throw std::runtime_error("field_eigen: LAPACK zheevd failed, info " + std::to_string(info));
  }
  return values;
}

SymmetricEigen complex_eigen(const ConstHostRef& a) {
  const Eigen::Index m = a.rows() / 2;
  ComplexMatrix u(m, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) u(i, j) = {a(2 * i, 2 * j), a(2 * i + 1, 2 * j)};
  }
  SymmetricEigen result{hermitian_eigen(u), HostMatrix(2 * m, 2 * m)};
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) {
      put_element(result.vectors, i, j, {u(i, j).real(), u(i, j).imag()}, 2);
    }
  }
  return result;
}

/// Column j of the real form of a vector over the quaternions made orthogonal to columns `first` …
/// j − 1, in place; the part of its length 1 that was left.
double take_out_columns(HostMatrix& vectors, Eigen::Index first, Eigen::Index j) {
  auto own = vectors.middleCols(4 * j, 4);
  for (int pass = 0; pass < 2 && j > first; ++pass) {
    const auto before = vectors.middleCols(4 * first, 4 * (j - first));
    own -= before * HostMatrix(before.transpose() * own);
  }
  return own.col(0).norm();
}

/// The 2 × 2 matrix of q = z + wj, z and w complex, is [[z, w], [−w̄, z̄]]. The first column of a
/// vector's is an eigenvector of the whole, and each such a vector of quaternions, of which half
/// are multiples of the others.
SymmetricEigen quaternion_eigen(const ConstHostRef& a) {
  const Eigen::Index m = a.rows() / 4;
  ComplexMatrix u(2 * m, 2 * m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) {
      const auto q = a.col(4 * j).segment(4 * i, 4);
      const Complex z(q[0], q[1]), w(q[2], q[3]);
      u(i, j) = z;
      u(i, m + j) = w;
      u(m + i, j) = -std::conj(w);
      u(m + i, m + j) = std::conj(z);
    }
  }
  const HostVector twice = hermitian_eigen(u);
  SymmetricEigen result{HostVector(m), HostMatrix(4 * m, 4 * m)};
  // A vector that is a multiple of those taken leaves nothing. If g of a level's 2g vectors are
  // taken, the remainders of the others have squares that sum to 2(g − taken), so a smaller
  // remainder may be dropped.
  const double least = 0.5 / static_cast<double>(4 * m + 4);
  // Rounding mixes a vector with those of other levels by ε‖A‖ over their distance: over the
  // quaternions, too, vectors are orthogonal as LAPACK has them where that is next to nothing.
  const double apart = 1e-2 * twice.cwiseAbs().maxCoeff();
  Eigen::Index taken = 0, first = 0;
  for (Eigen::Index c = 0; c < 2 * m && taken < m; ++c) {
    while (first < taken && result.values[first] < twice[c] - apart) ++first;
    for (Eigen::Index i = 0; i < m; ++i) {
      const Complex z = u(i, c), w = -std::conj(u(m + i, c));
      put_element(result.vectors, i, taken, {z.real(), z.imag(), w.real(), w.imag()}, 4);
    }
    const double left = take_out_columns(result.vectors, first, taken);
    if (left * left < least) continue;
    result.vectors.middleCols(4 * taken, 4) /= left;
    take_out_columns(result.vectors, first, taken);
    result.values[taken++] = twice[c];
  }
  if (taken < m) throw std::runtime_error("field_eigen: quaternion eigenvectors are missing");
  return result;
}

}  // namespace

SymmetricEigen field_eigen(const ConstHostRef& a, int d) {
  if (d == 1) return symmetric_eigen(a);
  if (!a.allFinite()) throw std::runtime_error("field_eigen: the matrix holds NaN or infinity");
  if (a.rows() == 0) return {HostVector(0), HostMatrix(0, 0)};
  return d == 2 ? complex_eigen(a) : quaternion_eigen(a);
}

}  // namespace cisolve
