#include "solvers/eigen/lower/lower_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/ranks/rank_timer.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

/// The part of the products that a search takes from which on it is brought to its end: without the
/// rest, two thirds of what it has cost by then, that would be in vain.
constexpr double nearly_done = 0.6;

/// verified_gap, or a part of it where the next state is so far away that this costs hardly a step:
/// it is told from one below the highest sooner.
double first_gap(const Roots& roots) {
  return roots.distance_to_next() > 10.0 * verified_gap ? 0.1 * verified_gap : verified_gap;
}

}  // namespace

/// Seconds of the solve include those of a search that found a state, and of taking that. A product
/// of the search may take longer than the solve's, in whose vectors finished sectors are zero:
/// hence as many products are always allowed as the solve made without such searches.
LowerStates::Allowance LowerStates::allowance(const Spent& spent) const {
  const double seconds = preparation_seconds_ + spent.seconds;
  const auto products =
      static_cast<double>(spent.products_before + work_.a.applications() - products_);
  const Verify verify = work_.options.verify;
  if (verify == Verify::quick) return {std::max(0.1, 0.25 * seconds), 0.25 * products};
  if (verify == Verify::standard) return {std::max(0.5, seconds), products};
  return {std::numeric_limits<double>::infinity(), 0.0};
}

bool LowerStates::is_in_vain() {
  constexpr int most = 3;
  const double sum = roots_.sum_of_energies();
  // A state below the highest by more than the finest gap takes its place.
  const bool lowered = taken_ == 0 || sum < sum_ - 0.5 * finest_gap;
  in_vain_ = lowered ? 0 : in_vain_ + 1;
  sum_ = sum;
  return in_vain_ >= most;
}

bool LowerStates::search(const Spent& spent, double left, std::uint64_t seed,
                         const Observer& observer) {
  const RankTimer timer(work_.ranks());
  const Allowance most = allowance(spent);
  const double error = roots_.residual_norm();
  const std::int64_t applications = work_.a.applications(), products = products_;
  exclusion_ = {};
  exclusion_.products_needed = std::numeric_limits<double>::infinity();
  failed_ = false;
  std::string& cut_short = exclusion_.cut_short;
  if (is_in_vain()) {
    cut_short = "it finds parts of states that are known: elements differ too much in size for it";
    exclusion_.seconds = seconds_;
    exclusion_.products = products_;
    return false;
  }
  std::int64_t first = 0;  // products of the first search, once there is a second
  const auto proceed = [&](const ExclusionProgress& progress) {
    if (!go_on(progress, left - timer.seconds(), observer)) return false;
    const auto so_far = static_cast<double>(progress.products);
    const double times = so_far >= nearly_done * progress.products_needed ? 1.0 / nearly_done : 1.0;
    const auto made = static_cast<double>(products_ - products + progress.products);
    if (timer.seconds() > times * most.seconds && made > times * most.products) {
      cut_short = "time for it spent";
    }
    // The first steps' Ritz values are means over much of the spectrum, known as such only, and
    // where the first search took next to none, P being most of the matrix, that tells nothing.
    constexpr std::int64_t least_steps = 10;
    const std::int64_t least = std::max(first, least_steps * work_.options.exclusion_starts);
    const bool enough = first > 0 && progress.products >= least &&
                        (search_->settled() || progress.products >= 2 * first + 30);
    return cut_short.empty() && !enough;
  };
  auto end = ExclusionSearch::End::stopped;
  // The first products may take long: that the search has begun is said before.
  const bool begun =
      go_on({0, std::numeric_limits<double>::infinity()}, left - timer.seconds(), observer);
  try {
    for (const double wanted : {first_gap(roots_), finest_gap}) {
      if (!begun) break;
      // The states' own errors are no gaps.
      const double gap = std::max(wanted, error);
      end = look(gap, seed, proceed);
      if (end == ExclusionSearch::End::found || end == ExclusionSearch::End::failed) break;
      if (end == ExclusionSearch::End::imprecise) {
        cut_short = "elements of the matrix differ too much in size for it";
        break;
      }
      const bool reached = end == ExclusionSearch::End::excluded;
      const bool near = search_->near();
      note(reached, reached && !near ? search_->nearest() : search_->excluded_gap());
      if (reached && (!near || gap <= std::max(finest_gap, error))) {
        cut_short.clear();  // that came too late
        interrupted_ = out_of_time_ = false;
        break;
      }
      if (!reached || !cut_short.empty()) break;
      first = search_->progress().products;
    }
  } catch (const ResourceError&) {
    if (!work_.ranks().alone()) throw;  // the others do not know
    end = ExclusionSearch::End::stopped;
    cut_short = "no memory for it";
    products_ = products + work_.a.applications() - applications;
  }
  if (end == ExclusionSearch::End::failed) note_failure();
  seconds_ += timer.seconds();
  exclusion_.seconds = seconds_;
  exclusion_.products = products_;
  exclusion_.lower_exists = end == ExclusionSearch::End::found;
  if (exclusion_.lower_exists) {
    exclusion_.gap = std::numeric_limits<double>::infinity();
    if (!interrupted_ && !out_of_time_) return true;
  }
  search_.reset();
  return false;
}

void LowerStates::note_failure() {
  failed_ = true;
  exclusion_.cut_short = "NaN or infinity in a product";
}

/// False where the run is to end.
bool LowerStates::go_on(const ExclusionProgress& progress, double left, const Observer& observer) {
  interrupted_ = !observer(progress);
  out_of_time_ = !(left > 0.0);
  if (interrupted_) {
    exclusion_.cut_short = "interrupted";
  } else if (out_of_time_) {
    exclusion_.cut_short = "time limit";
  }
  return !interrupted_ && !out_of_time_;
}

ExclusionSearch::End LowerStates::look(double gap, std::uint64_t seed,
                                       const ExclusionSearch::Observer& proceed) {
  // All searches of a solve together are wrong with the probability stated.
  ++searches_;
  exclusion_.probability = work_.options.exclusion_probability;
  const double probability = exclusion_.probability * std::pow(0.5, searches_);
  search_.reset();
  search_.emplace(work_, roots_, gap, probability, seed + 7919 * static_cast<unsigned>(searches_),
                  x_, work_.new_images.view());
  const std::int64_t before = work_.a.applications();
  const auto end = search_->run(proceed);
  products_ += work_.a.applications() - before;
  return end;
}

void LowerStates::note(bool reached, double gap) {
  // A finer search that was not brought to its end takes nothing away from what is excluded.
  exclusion_.gap = std::min(exclusion_.gap, gap);
  if (exclusion_.gap <= verified_gap) {
    exclusion_.products_needed = 0.0;
  } else if (reached) {  // the states are known no better: no products help
    exclusion_.products_needed = std::numeric_limits<double>::infinity();
  } else {
    exclusion_.products_needed = search_->progress().products_needed;
  }
}

bool LowerStates::take(View t, double left, const Observer& observer) {
  const RankTimer timer(work_.ranks());
  const std::int64_t before = work_.a.applications();
  exclusion_.cut_short.clear();
  const auto end = search_->lower_vectors(t, [&](const ExclusionProgress& progress) {
    return go_on(progress, left - timer.seconds(), observer);
  });
  if (end == ExclusionSearch::End::failed) note_failure();
  search_.reset();
  const bool taken = end == ExclusionSearch::End::found;
  taken_ += taken ? 1 : 0;
  products_ += work_.a.applications() - before;
  seconds_ += timer.seconds();
  exclusion_.seconds = seconds_;
  exclusion_.products = products_;
  return taken;
}

}  // namespace cisolve
