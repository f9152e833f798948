#pragma once

#include <cstdint>
#include <vector>

#include "backends/ranks/rank_timer.hpp"
#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// Progress of a solve: its clock and its counts, with those of the solve that it goes on from, and
/// the observer's view of them.
class Progress {
 public:
  Progress(const RankTimer& timer, Workspace& work, Roots& roots, const EigenObserver& observer)
      : timer_(timer), work_(work), roots_(roots), observer_(observer) {}

  /// Counts go on from those of an earlier solve.
  void go_on_from(const SolverState& from);
  void count_iteration() { ++iterations_; }
  /// Products of the search for lower states in this run.
  void count_probes(std::int64_t products) { probes_ = probes_before_ + products; }

  int iterations() const { return iterations_; }
  int iterations_of_run() const { return iterations_ - first_iteration_; }
  std::int64_t products() const { return products_before_ + work_.a.applications(); }
  std::int64_t probes() const { return probes_; }
  /// Products of the solve that this one goes on from, without its searches for lower states.
  std::int64_t solve_products_before() const { return products_before_ - probes_before_; }
  /// This run's.
  double seconds() const { return timer_.seconds(); }
  double seconds_of_all() const { return seconds_before_ + timer_.seconds(); }
  /// Until the time limit; infinite where there is none.
  double seconds_left() const;

  /// Shows an iteration. False: the solve is cancelled.
  bool observe();
  /// Asked for after every product of a correction; shows it now and then, for the observer may be
  /// slow. False: the correction ends, as the user or the time limit has it.
  bool observe_correction();
  /// Shows a step of a search for lower states, `before` products having gone into others.
  bool observe_search(std::int64_t before, const ExclusionProgress& search);

 private:
  const RankTimer& timer_;
  Workspace& work_;
  Roots& roots_;
  const EigenObserver& observer_;
  int iterations_ = 0;
  std::int64_t probes_ = 0;
  bool cancelled_ = false;  ///< within a correction
  // Counts and seconds of the solve gone on from:
  int first_iteration_ = 0;
  std::int64_t products_before_ = 0, probes_before_ = 0;
  double seconds_before_ = 0.0;
  EigenIteration shown_;
  std::vector<double> energies_, norms_;
};

}  // namespace cisolve
