#pragma once

#include <functional>
#include <optional>

#include "core/timer.hpp"
#include "solvers/exclusion_search.hpp"

namespace cisolve {

/// What is done, once all states are found, to make sure that none was missed: how long it may
/// take, how finely it looks, and what the result says of it.
///
/// The first search looks below `verified_gap`. Where its lowest Ritz values leave room for a state
/// nearer to the highest one, a second looks there, for twice as many products and thirty at most:
/// missed copies of a level, and states of dense clusters.
class LowerStates {
 public:
  /// False: interrupted.
  using Observer = std::function<bool(const ExclusionProgress&)>;

  /// `x`: memory, n × states; `preparation_seconds`: that the solve took before it began.
  LowerStates(Workspace& work, const Roots& roots, View x, double preparation_seconds)
      : work_(work), roots_(roots), x_(x), preparation_seconds_(preparation_seconds) {}

  /// True where a lower state was found; `take` then has it. `solve_seconds`: of this run so far,
  /// searches like this one included. `left`: of its time limit. `seed`: another for every call.
  bool search(double solve_seconds, double left, std::uint64_t seed, const Observer& observer);
  /// T_s (n × 1) := the lower states, one in each sector that `found` marks.
  void take(View t);
  std::vector<char> found() const { return search_->found(); }

  const Exclusion& exclusion() const { return exclusion_; }
  /// What ended the search early is that the observer said so.
  bool interrupted() const { return interrupted_; }
  /// Products of all searches.
  std::int64_t products() const { return products_; }
  /// Lower states found so far.
  int taken() const { return taken_; }

 private:
  ExclusionSearch::End look(double gap, std::uint64_t seed,
                            const ExclusionSearch::Observer& proceed);
  double allowed(double solve_seconds) const;
  void note(bool reached, double gap);

  Workspace& work_;
  const Roots& roots_;
  View x_;
  double preparation_seconds_;
  std::optional<ExclusionSearch> search_;
  Exclusion exclusion_;
  std::int64_t products_ = 0;
  int searches_ = 0, taken_ = 0;
  double seconds_ = 0.0;  ///< of the searches before this one
  bool interrupted_ = false;
};

}  // namespace cisolve
