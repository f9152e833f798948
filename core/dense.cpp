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

  const SingleBlasThread one_thread(n < 2000);
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

}  // namespace cisolve
