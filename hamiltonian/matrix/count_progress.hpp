#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <numeric>

#include "core/timer.hpp"
#include "hamiltonian/matrix/matrix_builder.hpp"

namespace cisolve {

/// Steps of which so many visit all of a ring's blocks, the first few already spread over it: the
/// golden section of them, where it has no divisor in common with them.
inline std::size_t spread_step(std::size_t blocks) {
  auto step = std::max<std::size_t>(1, static_cast<std::size_t>(0.618 * blocks));
  while (std::gcd(step, blocks) > 1) ++step;
  return step;
}

/// Count of all threads, told to a watch.
class CountProgress {
 public:
  explicit CountProgress(const CountWatch& watch) : watch_(watch) {}

  void add(const CountedRows& block) {
    const std::lock_guard lock(mutex_);
    sum_.rows += block.rows;
    sum_.entries += block.entries;
    if (timer_.seconds() < told_ + watch_.interval) return;
    told_ = timer_.seconds();
    watch_.tell(sum_);
  }

 private:
  const CountWatch& watch_;
  std::mutex mutex_;
  CountedRows sum_;
  Timer timer_;
  double told_ = 0.0;
};

}  // namespace cisolve
