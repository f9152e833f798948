#pragma once

#include "backends/ranks/communicator.hpp"
#include "core/timer.hpp"

namespace cisolve {

/// Wall-clock seconds since construction on rank 0, the same on every rank: for what is decided by
/// them. All ranks ask together.
class RankTimer {
 public:
  explicit RankTimer(Communicator& ranks) : ranks_(ranks) {}
  double seconds() const { return ranks_.of_first(timer_.seconds()); }

 private:
  Communicator& ranks_;
  Timer timer_;
};

}  // namespace cisolve
