#pragma once

#include <omp.h>

namespace cisolve {

/// The number of OpenMP threads of parallel regions that this thread begins, while it lives; 0: as
/// it is. Other threads of the process keep theirs.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) {
    if (threads > 0) omp_set_num_threads(threads);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount() { omp_set_num_threads(before_); }

 private:
  int before_;
};

}  // namespace cisolve
