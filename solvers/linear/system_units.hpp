#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {

/// b and x of a linear system in units of their own, a power of two for each column, in which the
/// largest element of b is from one to two, as that of D or S is (LinearSystem): squares of small
/// numbers do not vanish then, those of large ones do not overflow, a threshold is relative to the
/// system, and other units of A or of b change no bit of what a method does.
class SystemUnits {
 public:
  /// Brings x, the start, to these units. A column of it whose b is zero becomes zero, which
  /// solves it, and so does one that is more than 2^400 times as large as b lets one expect. Throws
  /// InputError where b is not finite or x would not be.
  SystemUnits(LinearSystem& system, ConstView b, View x);

  ConstView b() const { return b_.view(); }
  /// Numbers of b's unit in these; they go to infinity or zero where they leave the doubles.
  ColumnScalars of_user(ColumnScalars numbers) const;
  ColumnScalars to_user(ColumnScalars numbers) const;
  /// Brings x back. Throws InputError where its largest element leaves the doubles.
  void restore(View x) const;

 private:
  Backend& backend_;
  std::vector<int> exponents_of_b_, exponents_of_x_;
  MultiVector b_;
};

/// e with 2^e ≤ |number| < 2^(e + 1); 0 of zero and of what is not finite.
int exponent_of(double number);

}  // namespace cisolve
