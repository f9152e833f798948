#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "core/timer.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Products with A, counted (a block of k counts k) and timed.
class CountedOperator {
 public:
  CountedOperator(LinearOperator& a, Backend& backend) : a_(a), backend_(backend) {}

  /// Y := AX.
  void apply(ConstView x, View y) {
    backend_.synchronize();
    const Timer timer;
    a_.apply(1.0, x, 0.0, y);
    backend_.synchronize();
    seconds_ += timer.seconds();
    applications_ += x.columns;
  }
  bool refine() { return a_.refine(); }
  double rounding_error() const { return a_.rounding_error(); }
  std::int64_t applications() const { return applications_; }
  double seconds() const { return seconds_; }

 private:
  LinearOperator& a_;
  Backend& backend_;
  std::int64_t applications_ = 0;
  double seconds_ = 0.0;
};

}  // namespace cisolve
