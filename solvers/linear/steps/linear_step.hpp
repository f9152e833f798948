#pragma once

#include <optional>

#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {

/// A method: from an iterate and its residual, both n × k, it makes the next ones.
///
/// Every method's file counts the traffic of an iteration: numbers a row and column that are read
/// or written beside the products, Y := SX and no more, with the one that the loop reads for the
/// norm of R; and how often the host waits, once of it for that norm. A shift adds three numbers to
/// Y := SX, and one to R := B − SX, which the counts have.
class LinearStep {
 public:
  virtual ~LinearStep() = default;
  /// Iterations begin, anew or for the first time, at an iterate with residual R.
  virtual void begin(ConstView r) = 0;
  /// X, R := the next iterate and its residual, R as the method has it: recurred, not always
  /// recomputed from X. A status where the method cannot go on.
  virtual std::optional<SolveStatus> advance(ConstView b, View x, View r) = 0;
  /// The residual of that column, or the direction of its step, was in the null space of S, or an
  /// eigenvector of a very small eigenvalue: there is nothing to go on from, and x stays.
  virtual bool exhausted(int /*column*/) const { return false; }
};

/// Makes a step that takes nothing of the options.
template <class Step>
std::unique_ptr<LinearStep> make_step(LinearSystem& system, const LinearOptions&,
                                      const std::optional<Interval>&, int columns) {
  return std::make_unique<Step>(system, columns);
}

}  // namespace cisolve
