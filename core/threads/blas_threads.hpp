#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <mutex>

// OpenBLAS's own, which its package's lapacke.h does not declare.
extern "C" void openblas_set_num_threads(int threads);
extern "C" int openblas_get_num_threads();
// Sets the threads of the calling thread alone and returns the number before; OpenBLAS from 0.3.24
// on.
extern "C" int openblas_set_num_threads_local(int threads) __attribute__((weak));

namespace cisolve {

/// The threads of BLAS for a matrix of n rows while it lives: one for the solvers' small matrices,
/// which are done before a second thread has woken; else no more than OpenMP has. An OpenBLAS with
/// one number for the whole process uses that of the last thread to set it; the last to go restores
/// the number before the first.
class BlasThreads {
 public:
  explicit BlasThreads(std::ptrdiff_t n) {
    const std::scoped_lock lock(shared_.mutex);
    if (shared_.users++ == 0) shared_.before = openblas_get_num_threads();
    const int threads = n < 2000 ? 1 : std::min(shared_.before, omp_get_max_threads());
    before_ = set(threads);
  }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;
  ~BlasThreads() {
    const std::scoped_lock lock(shared_.mutex);
    const bool last = --shared_.users == 0;
    if (openblas_set_num_threads_local != nullptr) {
      set(before_);
    } else if (last) {
      set(shared_.before);
    }
  }

 private:
  static int set(int threads) {
    if (openblas_set_num_threads_local != nullptr) return openblas_set_num_threads_local(threads);
    openblas_set_num_threads(threads);
    return 0;
  }

  struct Shared {
    std::mutex mutex;
    int users, before;
  };
  static inline Shared shared_{};
  int before_ = 0;  ///< of this thread, where OpenBLAS has such a number
};

}  // namespace cisolve
