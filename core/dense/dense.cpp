#include "core/dense/dense.hpp"

#include <lapacke.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

#include "core/dense/field_matrix.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/threads/blas_threads.hpp"

namespace cisolve {

void take_blas_buffer() {
  static std::once_flag once;
  std::call_once(once, [] {
    // A thread's. The solvers' small matrices take one thread; more of them are left to OpenBLAS.
    constexpr std::size_t bytes = std::size_t{128} << 20;
    // Room with malloc's own overhead, and for the matrix below.
    constexpr std::size_t with_it = bytes + (std::size_t{4} << 20);
    void* const room = ::mmap(nullptr, with_it, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
      throw ResourceError("the buffer of OpenBLAS: " + format_bytes(bytes) +
                          " of address space needed (`ulimit -v`), and not there");
    }
    ::munmap(room, with_it);
    constexpr int rows = 64;  // of a few rows dsyevd needs no buffer
    HostMatrix any(rows, rows);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < rows; ++j) any(i, j) = 1.0 / (1.0 + i + j);
    }
    symmetric_eigen(any);
  });
}

SymmetricEigen symmetric_eigen(const HostMatrix& a, int count) {
  const auto n = static_cast<lapack_int>(a.rows());
  const lapack_int wanted = count < 0 || count > n ? n : count;
  SymmetricEigen result{HostVector(wanted), HostMatrix(n, wanted)};
  if (n == 0 || wanted == 0) return result;
  if (!a.allFinite()) throw std::runtime_error("symmetric_eigen: the matrix holds NaN or infinity");

  const BlasThreads threads(n);
  // A is symmetric, so its row-major upper triangle is LAPACK's column-major lower one; working in
  // column-major order spares LAPACKE's transposed copies. All pairs are computed: dsyevr, asked
  // for a few, fails on close clusters, and asked for all takes half as long again.
  Eigen::MatrixXd vectors = a.transpose();
  HostVector values(n);
  const lapack_int info =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, vectors.data(), n, values.data());
  if (info != 0) {
    throw std::runtime_error("symmetric_eigen: LAPACK dsyevd failed, info " + std::to_string(info));
  }
  result.values = values.head(wanted);
  result.vectors = vectors.leftCols(wanted);
  return result;
}

SymmetricEigen lowest_of_tridiagonal(std::vector<double> d, std::vector<double> e, int count) {
  const auto m = static_cast<lapack_int>(d.size());
  SymmetricEigen result{HostVector(m), HostMatrix(m, count)};
  std::vector<lapack_int> failed(static_cast<std::size_t>(m));
  lapack_int found = 0;
  const lapack_int info =
      LAPACKE_dstevx(LAPACK_ROW_MAJOR, 'V', 'I', m, d.data(), e.data(), 0.0, 0.0, 1, count, 0.0,
                     &found, result.values.data(), result.vectors.data(), count, failed.data());
  if (info != 0 || found != count) {
    throw std::runtime_error("lowest_of_tridiagonal: LAPACK dstevx failed, info " +
                             std::to_string(info));
  }
  result.values.conservativeResize(count);
  return result;
}

SymmetricEigensolver::SymmetricEigensolver(int limit, int components)
    : components_(components), values_(limit), vectors_(components * limit, components * limit) {
  if (limit <= small || components > 1) return;
  const auto n = static_cast<std::size_t>(limit);
  columns_.resize(n * n);
  work_.resize(1 + 6 * n + 2 * n * n);
  integer_work_.resize(3 + 5 * n);
}

void SymmetricEigensolver::solve(const ConstHostRef& a) {
  if (!a.allFinite()) {
    throw std::runtime_error("SymmetricEigensolver: the matrix holds NaN or infinity");
  }
  size_ = a.rows() / components_;
  if (size_ == 0) return;
  if (components_ > 1) return solve_over_field(a);
  size_ <= small ? solve_small(a) : solve_large(a);
}

void SymmetricEigensolver::solve_over_field(const ConstHostRef& a) {
  const SymmetricEigen pairs = field_eigen(a, components_);
  values_.head(size_) = pairs.values;
  vectors_.topLeftCorner(a.rows(), a.cols()) = pairs.vectors;
}

void SymmetricEigensolver::solve_small(const ConstHostRef& a) {
  matrix_ = a.transpose();  // the solver reads the lower triangle
  solver_.compute(matrix_);
  if (solver_.info() != Eigen::Success) {
    throw std::runtime_error("SymmetricEigensolver: the iteration failed");
  }
  values_.head(size_) = solver_.eigenvalues();
  vectors_.topLeftCorner(size_, size_) = solver_.eigenvectors();
}

void SymmetricEigensolver::solve_large(const ConstHostRef& a) {
  const BlasThreads threads(size_);
  const auto n = static_cast<lapack_int>(size_);
  Eigen::Map<Eigen::MatrixXd> vectors(columns_.data(), n, n);
  vectors = a.transpose();
  const lapack_int info =
      LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, columns_.data(), n, values_.data(),
                          work_.data(), static_cast<lapack_int>(work_.size()), integer_work_.data(),
                          static_cast<lapack_int>(integer_work_.size()));
  if (info != 0) {
    throw std::runtime_error("SymmetricEigensolver: LAPACK dsyevd failed, info " +
                             std::to_string(info));
  }
  vectors_.topLeftCorner(n, n) = vectors;
}

}  // namespace cisolve
