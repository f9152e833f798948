#include "solvers/lower_states.hpp"

#include <algorithm>
#include <limits>

namespace cisolve {

/// Seconds that a search may take.
double LowerStates::allowed(double solve_seconds) const {
  const double solve = solve_seconds - seconds_;
  switch (work_.options.verify) {
    case Verify::quick:
      return std::max(0.1, 0.25 * solve);
    case Verify::standard:
      return std::max(0.5, solve);
    case Verify::off:
    case Verify::thorough:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

bool LowerStates::search(double solve_seconds, double left, const Observer& observer) {
  constexpr double finest_gap = 1e-6;  // in Hartree
  const Timer timer;
  const double most = allowed(solve_seconds), error = roots_.largest_norm();
  exclusion_ = {};
  int steps = 0;
  bool near = false;
  const auto proceed = [&](const ExclusionProgress& progress) {
    interrupted_ = !observer(progress);
    if (interrupted_) {
      exclusion_.cut_short = "interrupted";
    } else if (timer.seconds() > left) {
      exclusion_.cut_short = "time limit";
    } else if (seconds_ + timer.seconds() > most) {
      exclusion_.cut_short = "time for it spent";
    }
    // The first steps' Ritz values are means over much of the spectrum, known as such only.
    const bool enough = near && progress.products >= steps &&
                        (search_->settled() || progress.products >= 2 * steps + 30);
    return exclusion_.cut_short.empty() && !enough;
  };
  auto end = ExclusionSearch::End::stopped;
  for (const double gap : {verified_gap, finest_gap}) {
    // The states' own errors are no gaps.
    search_.emplace(work_, roots_, std::max(gap, error), work_.options.seed + 7919 * ++searches_,
                    x_, work_.new_images.packed(work_.options.states));
    const std::int64_t before = work_.a.applications();
    end = search_->run(proceed);
    products_ += work_.a.applications() - before;
    if (end == ExclusionSearch::End::found) break;
    const bool reached = end == ExclusionSearch::End::excluded;
    note(search_->progress(), reached);
    steps = static_cast<int>(search_->progress().products);
    near = reached && search_->near();
    if (reached && !near) exclusion_.gap = std::max(finest_gap, error);
    if (!near) break;
  }
  seconds_ += timer.seconds();
  exclusion_.seconds = seconds_;
  exclusion_.products = products_;
  if (end == ExclusionSearch::End::found) return true;
  search_.reset();
  return false;
}

void LowerStates::note(const ExclusionProgress& progress, bool reached) {
  // A finer search that was not brought to its end takes nothing away.
  if (!reached && progress.gap >= exclusion_.gap) {
    exclusion_.cut_short = interrupted_ ? exclusion_.cut_short : "";
    return;
  }
  exclusion_.gap = progress.gap;
  exclusion_.products_needed = reached ? 0.0 : progress.products_needed;
}

void LowerStates::take(View t) {
  const Timer timer;
  const std::int64_t before = work_.a.applications();
  search_->lower_vectors(t);
  products_ += work_.a.applications() - before;
  search_.reset();
  seconds_ += timer.seconds();
}

}  // namespace cisolve
