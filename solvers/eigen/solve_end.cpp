#include "solvers/eigen/solve_end.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "solvers/eigen/convergence/precision.hpp"
#include "solvers/eigen/final_states.hpp"
#include "solvers/eigen/lower/whole_spectrum.hpp"
#include "solvers/eigen/methods.hpp"

namespace cisolve {

// Residuals are of no use to the search, but Lanczos has the next block in their memory.
SolveEnd::SolveEnd(Workspace& work, Roots& roots, NewDirections& directions, Progress& progress,
                   double preparation_seconds, EigenResult& result)
    : work_(work),
      roots_(roots),
      directions_(directions),
      progress_(progress),
      result_(result),
      vectors_(work.backend, work.rows, work.options.states),
      lower_(work, roots,
             traits_of(work.options.method).corrects ? work.residuals.view() : vectors_.view(),
             preparation_seconds) {}

bool SolveEnd::reached() {
  const EigenOptions& options = work_.options;
  const bool go_on = progress_.observe();
  const bool found = roots_.all_small();
  if (found && is_rounded(work_)) {
    result_.status = SolveStatus::stagnated;  // no room for the matrix in double
    return true;
  }
  if (found && options.verify == Verify::off) {
    result_.status = SolveStatus::converged;
    return true;
  }
  // States found at the last iteration are still made sure of.
  if (found && go_on && lower_.taken() == 0) return false;
  if (!go_on) {
    result_.status = SolveStatus::cancelled;
  } else if (options.time_limit > 0.0 && progress_.seconds() > options.time_limit) {
    result_.status = SolveStatus::time_limit;
  } else if (progress_.iterations_of_run() >= options.max_iterations) {
    result_.status = SolveStatus::max_iterations;
  } else {
    return false;
  }
  if (found) result_.exclusion.lower_exists = false;  // it is among the states
  return true;
}

bool SolveEnd::exclude_lower() {
  if (excluded_on_the_way()) return false;
  const std::uint64_t seed =
      work_.options.seed + 1000000007 * static_cast<std::uint64_t>(progress_.products());
  const auto show = [&](const ExclusionProgress& search) {
    return progress_.observe_search(lower_.products(), search);
  };
  const LowerStates::Spent spent{progress_.seconds_of_all(), progress_.solve_products_before()};
  const bool found = lower_.search(spent, progress_.seconds_left(), seed, show);
  const bool taken = found && take_lower(show);
  progress_.count_probes(lower_.products());
  result_.exclusion = lower_.exclusion();
  if (taken) return true;
  result_.status = lower_.interrupted()              ? SolveStatus::cancelled
                   : lower_.failed()                 ? SolveStatus::breakdown
                   : !result_.exclusion.lower_exists ? SolveStatus::converged
                   : lower_.out_of_time()            ? SolveStatus::time_limit
                                                     : SolveStatus::stagnated;
  result_.verified = result_.exclusion.gap <= verified_gap && result_.exclusion.cut_short.empty();
  return false;
}

/// True if the products that brought the states exclude lower ones, or the start did.
bool SolveEnd::excluded_on_the_way() {
  const double gap =
      std::min(directions_.krylov().excluded_gap(roots_), gap_of_whole_spectrum(work_, roots_));
  if (!(gap <= verified_gap)) return false;
  result_.exclusion = lower_.exclusion();
  result_.exclusion.gap = gap;
  result_.exclusion.probability = work_.options.exclusion_probability;
  result_.exclusion.products_needed = 0.0;
  result_.exclusion.cut_short.clear();
  result_.exclusion.lower_exists = false;
  result_.status = SolveStatus::converged;
  result_.verified = true;
  return true;
}

/// T_s ← what the search has of the lower states; false where V has them already, or the run is to
/// end.
bool SolveEnd::take_lower(const LowerStates::Observer& show) {
  roots_.plan_lower(lower_.found());
  const View t = work_.new_vectors.narrowed(1);
  return lower_.take(t, progress_.seconds_left(), show) && directions_.take(t);
}

EigenResult SolveEnd::finish() {
  result_.vectors = std::move(vectors_);
  const bool cut_a_level = roots_.cut_a_level();
  final_states(
      work_, roots_,
      [this] {
        result_.notes.clear();
        refine_operator(work_, progress_.iterations_of_run(), result_);
      },
      result_);
  const bool all = std::ranges::all_of(result_.converged, [](bool c) { return c; });
  if (result_.status == SolveStatus::converged && !all) result_.status = SolveStatus::stagnated;
  if (result_.status != SolveStatus::converged) result_.verified = false;
  if (cut_a_level && result_.status == SolveStatus::converged) {
    result_.notes.push_back(
        "the highest state is one of a degenerate level that has more states than were asked "
        "for");
  }
  for (const auto& search : work_.searches) {
    result_.inner_applications += search->inner_applications();
  }
  result_.iterations = progress_.iterations();
  result_.operator_applications = progress_.products() - progress_.probes();
  result_.probe_applications = progress_.probes();
  result_.product_seconds = work_.a.seconds();
  result_.seconds = progress_.seconds();
  return std::move(result_);
}

}  // namespace cisolve
