#pragma once

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/lower/lower_states.hpp"
#include "solvers/eigen/new_directions.hpp"
#include "solvers/eigen/progress.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// End of a solve, and its part of the result: once all states are found, a search for lower ones
/// decides whether the solve goes on.
class SolveEnd {
 public:
  /// `preparation_seconds`: that the solve took before it began.
  SolveEnd(Workspace& work, Roots& roots, NewDirections& directions, Progress& progress,
           double preparation_seconds, EigenResult& result);

  /// Memory for the result's vectors, n × states.
  View vectors() { return vectors_.view(); }

  /// Shows the iteration; true where the solve is over, as the observer, a limit or the states
  /// found have it.
  bool reached();
  /// Makes sure that nothing lower was missed, all states being found. False when the solve is
  /// over; else a lower state has joined the new directions.
  bool exclude_lower();
  /// The result of a solve that is over: its states with their true residuals, and its counts.
  EigenResult finish();

 private:
  bool excluded_on_the_way();
  bool take_lower(const LowerStates::Observer& show);

  Workspace& work_;
  Roots& roots_;
  NewDirections& directions_;
  Progress& progress_;
  EigenResult& result_;
  MultiVector vectors_;
  LowerStates lower_;
};

}  // namespace cisolve
