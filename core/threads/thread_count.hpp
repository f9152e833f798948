#pragma once

#include <omp.h>

namespace cisolve {

/// The number of OpenMP threads of parallel regions that this thread begins, while it lives; 0: as
/// it is. Other threads of the process keep theirs. The schedule of loops with schedule(runtime),
/// which products set, is again as it was, too.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) {
    omp_get_schedule(&schedule_, &chunk_);
    if (threads > 0) omp_set_num_threads(threads);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount() {
    omp_set_num_threads(before_);
    omp_set_schedule(schedule_, chunk_);
  }

 private:
  int before_;
  omp_sched_t schedule_ = omp_sched_static;
  int chunk_ = 0;
};

}  // namespace cisolve
