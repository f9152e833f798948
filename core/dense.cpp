#include "core/dense.hpp"

#include <lapacke.h>

#include <stdexcept>
#include <string>
#include <vector>

// OpenBLAS's own, which its package's lapacke.h does not declare.
extern "C" void openblas_set_num_threads(int threads);
extern "C" int openblas_get_num_threads();

namespace cisolve {
namespace {

/// One BLAS thread while it lives. The solvers' small matrices are done before a second thread has
/// woken, and the threads of OpenMP may still be spinning on the cores it would take.
class SingleBlasThread {
 public:
  explicit SingleBlasThread(bool wanted) : threads_(openblas_get_num_threads()), wanted_(wanted) {
    if (wanted_) openblas_set_num_threads(1);
  }
  SingleBlasThread(const SingleBlasThread&) = delete;
  SingleBlasThread& operator=(const SingleBlasThread&) = delete;
  ~SingleBlasThread() {
    if (wanted_) openblas_set_num_threads(threads_);
  }

 private:
  int threads_;
  bool wanted_;
};

}  // namespace

SymmetricEigen symmetric_eigen(const HostMatrix& a, int count) {
  const auto n = static_cast<lapack_int>(a.rows());
  const lapack_int wanted = count < 0 || count > n ? n : count;
  SymmetricEigen result{HostVector(wanted), HostMatrix(n, wanted)};
  if (n == 0 || wanted == 0) return result;
  if (!a.allFinite()) throw std::runtime_error("symmetric_eigen: the matrix holds NaN or infinity");

  const SingleBlasThread one_thread(n < 256);
  // A is symmetric, so its row-major upper triangle is LAPACK's column-major lower one; working in
  // column-major order spares LAPACKE's transposed copies. All pairs are computed: on request for
  // a few, dsyevr takes another path, which fails on close clusters.
  Eigen::MatrixXd work = a.transpose();
  Eigen::MatrixXd vectors(n, n);
  HostVector values(n);
  std::vector<lapack_int> support(2 * static_cast<std::size_t>(n));
  lapack_int found = 0;
  const lapack_int info =
      LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'A', 'L', n, work.data(), n, 0.0, 0.0, 0, 0, 0.0,
                     &found, values.data(), vectors.data(), n, support.data());
  if (info != 0 || found != n) {
    throw std::runtime_error("symmetric_eigen: LAPACK dsyevr failed, info " + std::to_string(info));
  }
  result.values = values.head(wanted);
  result.vectors = vectors.leftCols(wanted);
  return result;
}

}  // namespace cisolve
