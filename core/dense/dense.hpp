#pragma once

#include <Eigen/Eigenvalues>
#include <array>
#include <span>
#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// Has OpenBLAS take the buffer that it keeps for a thread, 128 MiB of address space, once: a plan
/// of memory that is made afterwards counts it. Throws ResourceError where there is no room, in
/// which OpenBLAS asks for it without end.
void take_blas_buffer();

/// Eigenpairs of a real symmetric matrix, ascending; column j of `vectors` belongs to values[j].
struct SymmetricEigen {
  HostVector values;   ///< m
  HostMatrix vectors;  ///< n × m, orthonormal columns
};

/// The `count` lowest eigenpairs (all when count < 0) of the symmetric n × n matrix A by LAPACK's
/// dsyevd; its upper triangle alone is read. Throws std::runtime_error when LAPACK fails or A
/// holds NaN.
SymmetricEigen symmetric_eigen(const HostMatrix& a, int count = -1);

/// The `count` ≤ m lowest eigenpairs of the symmetric tridiagonal matrix with diagonal d (m) and
/// off-diagonal e (m − 1 at least), by LAPACK's dstevx: bisection and inverse iteration. Throws
/// std::runtime_error when LAPACK fails.
SymmetricEigen lowest_of_tridiagonal(std::vector<double> d, std::vector<double> e, int count = 1);

/// All eigenpairs of one small matrix after another, in memory taken at the beginning. Up to 64
/// rows by Eigen's solver, which takes half as long as LAPACK's there; beyond by dsyevd. Over K of
/// more than one component by field_eigen (core/dense/field_matrix.hpp), which takes memory of its
/// own.
class SymmetricEigensolver {
 public:
  /// For matrices of at most `limit` rows over K of so many components.
  explicit SymmetricEigensolver(int limit, int components = 1);

  /// Solves for the symmetric matrix A (n × n), of which only the upper triangle is read; over K
  /// self-adjoint and in its real form. Throws std::runtime_error when A holds NaN or the iteration
  /// fails.
  void solve(const ConstHostRef& a);

  /// Eigenvalues of the matrix solved last, as long as no other is, ascending; and the orthonormal
  /// eigenvectors, column j belonging to value j.
  Eigen::Map<const HostVector> values() const { return {values_.data(), size_}; }
  ConstHostRef vectors() const {
    return vectors_.topLeftCorner(components_ * size_, components_ * size_);
  }
  /// The memory of both, for whoever has the same matrix to take another's, where they are
  /// LAPACK's; of Eigen's solver, which is the same code on every processor, nothing.
  std::array<std::span<double>, 2> lapack_results() {
    if (size_ <= small && components_ == 1) return {};
    return {std::span(values_.data(), size_),
            std::span(vectors_.data(), components_ * size_ * vectors_.cols())};
  }

 private:
  static constexpr int small = 64;
  using Small =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, small, small>;
  void solve_small(const ConstHostRef& a);
  void solve_large(const ConstHostRef& a);
  void solve_over_field(const ConstHostRef& a);

  int components_;
  Eigen::Index size_ = 0;  ///< rows over K
  HostVector values_;
  HostMatrix vectors_;
  Small matrix_;
  Eigen::SelfAdjointEigenSolver<Small> solver_;
  // Work space of dsyevd:
  std::vector<double> columns_, work_;
  std::vector<int> integer_work_;
};

}  // namespace cisolve
