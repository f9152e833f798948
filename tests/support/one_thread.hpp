#pragma once

#include <limits>
#include <utility>

#include "core/threads/parallel.hpp"

namespace cisolve::testing {

/// While it lives, one thread does all work of loops, as in the program that of small ones.
class OneThread {
 public:
  OneThread() = default;
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() { least_shared_work = before_; }

 private:
  double before_ = std::exchange(least_shared_work, std::numeric_limits<double>::infinity());
};

}  // namespace cisolve::testing
