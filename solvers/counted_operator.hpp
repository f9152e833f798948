#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "backends/stopwatch.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Products with A, counted (a block of k counts k) and timed.
class CountedOperator {
 public:
  CountedOperator(LinearOperator& a, Backend& backend) : a_(a), stopwatch_(backend) {}

  /// Y := AX.
  void apply(ConstView x, View y) { apply(1.0, x, 0.0, y); }
  /// Y := αAX + βY.
  void apply(double alpha, ConstView x, double beta, View y) {
    stopwatch_.begin();
    a_.apply(alpha, x, beta, y);
    stopwatch_.end();
    applications_ += x.columns;
  }
  bool to_double_precision() { return a_.to_double_precision(); }
  double rounding_error() const { return a_.rounding_error(); }
  OperatorInfo info() const { return a_.info(); }
  std::int64_t applications() const { return applications_; }
  double seconds() const { return stopwatch_.seconds(); }

 private:
  LinearOperator& a_;
  Stopwatch stopwatch_;
  std::int64_t applications_ = 0;
};

}  // namespace cisolve
