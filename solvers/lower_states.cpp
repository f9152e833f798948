#include "solvers/lower_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace cisolve {

/// Seconds that a search may take.
double LowerStates::allowed(double solve_seconds) const {
  const double solve = preparation_seconds_ + solve_seconds - seconds_;
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

bool LowerStates::search(double solve_seconds, double left, std::uint64_t seed,
                         const Observer& observer) {
  constexpr double finest_gap = 1e-6;  // in Hartree
  const Timer timer;
  const double most = allowed(solve_seconds), error = roots_.residual_norm();
  exclusion_ = {};
  std::int64_t first = 0;  // products of the first search, once there is a second
  const auto proceed = [&](const ExclusionProgress& progress) {
    std::string& cut_short = exclusion_.cut_short;
    interrupted_ = !observer(progress);
    if (interrupted_) {
      cut_short = "interrupted";
    } else if (timer.seconds() > left) {
      cut_short = "time limit";
    } else if (seconds_ + timer.seconds() > most) {
      cut_short = "time for it spent";
    }
    // The first steps' Ritz values are means over much of the spectrum, known as such only.
    const bool enough = first > 0 && progress.products >= first &&
                        (search_->settled() || progress.products >= 2 * first + 30);
    return cut_short.empty() && !enough;
  };
  auto end = ExclusionSearch::End::stopped;
  try {
    for (const double wanted : {verified_gap, finest_gap}) {
      // The states' own errors are no gaps.
      const double gap = std::max(wanted, error);
      end = look(gap, seed, proceed);
      if (end == ExclusionSearch::End::found) break;
      const bool reached = end == ExclusionSearch::End::excluded;
      const bool near = search_->near();
      note(reached, reached && !near ? std::max(finest_gap, error) : search_->excluded_gap());
      if (!reached || !near) break;
      first = search_->progress().products;
    }
  } catch (const ResourceError&) {
    end = ExclusionSearch::End::stopped;
    exclusion_.cut_short = "no memory for it";
  }
  seconds_ += timer.seconds();
  exclusion_.seconds = seconds_;
  exclusion_.products = products_;
  if (end == ExclusionSearch::End::found) {
    exclusion_.gap = std::numeric_limits<double>::infinity();
    // No time to go on with it.
    exclusion_.lower_exists = interrupted_ || exclusion_.cut_short == "time limit";
    if (!exclusion_.lower_exists) return true;
  }
  search_.reset();
  return false;
}

ExclusionSearch::End LowerStates::look(double gap, std::uint64_t seed,
                                       const ExclusionSearch::Observer& proceed) {
  // All searches of a solve together are wrong with the probability stated.
  ++searches_;
  const double probability = verified_probability * std::pow(0.5, searches_);
  search_.reset();
  search_.emplace(work_, roots_, gap, probability, seed + 7919 * static_cast<unsigned>(searches_),
                  x_, work_.new_images.packed(work_.options.states));
  const std::int64_t before = work_.a.applications();
  const auto end = search_->run(proceed);
  products_ += work_.a.applications() - before;
  return end;
}

void LowerStates::note(bool reached, double gap) {
  // A finer search that was not brought to its end takes nothing away from what is excluded.
  exclusion_.gap = std::min(exclusion_.gap, gap);
  const bool standard = exclusion_.gap <= verified_gap;
  exclusion_.products_needed = standard || reached ? 0.0 : search_->progress().products_needed;
}

void LowerStates::take(View t) {
  const Timer timer;
  const std::int64_t before = work_.a.applications();
  search_->lower_vectors(t);
  search_.reset();
  ++taken_;
  products_ += work_.a.applications() - before;
  seconds_ += timer.seconds();
}

}  // namespace cisolve
