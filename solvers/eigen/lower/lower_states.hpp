#pragma once

#include <functional>
#include <optional>

#include "solvers/eigen/lower/exclusion_search.hpp"

namespace cisolve {

/// Search for missed states once all states are found: its budget, its resolution, and the result's
/// statement on it.
///
/// The first search looks below `verified_gap`. If its lowest Ritz values leave room for a state
/// nearer to the highest one, a second search looks there for missed copies of a level and for
/// states of dense clusters, for twice as many products and thirty at most.
class LowerStates {
 public:
  /// False: interrupted.
  using Observer = std::function<bool(const ExclusionProgress&)>;

  /// `x`: memory, n × states or more; `preparation_seconds`: that the solve took before it began.
  LowerStates(Workspace& work, const Roots& roots, View x, double preparation_seconds)
      : work_(work), roots_(roots), x_(x), preparation_seconds_(preparation_seconds) {}

  /// Cost of the solve: seconds so far, searches like this one included, with those of the solve
  /// that it goes on from; products of that one without its searches.
  struct Spent {
    double seconds;
    std::int64_t products_before;
  };

  /// True where a lower state was found and `take` is to follow. `left`: of the time limit. `seed`:
  /// another for every call.
  bool search(const Spent& spent, double left, std::uint64_t seed, const Observer& observer);
  /// T_s (n × 1) := the lower states, one in each sector that `found` marks. False where the
  /// observer, the time limit or NaN ended it.
  bool take(View t, double left, const Observer& observer);
  std::vector<char> found() const { return search_->found(); }

  const Exclusion& exclusion() const { return exclusion_; }
  /// True if the observer ended the search.
  bool interrupted() const { return interrupted_; }
  /// True if the time limit ended it.
  bool out_of_time() const { return out_of_time_; }
  /// True if a product brought NaN or infinity.
  bool failed() const { return failed_; }
  /// Products of all searches.
  std::int64_t products() const { return products_; }
  /// Lower states found so far.
  int taken() const { return taken_; }

 private:
  ExclusionSearch::End look(double gap, std::uint64_t seed,
                            const ExclusionSearch::Observer& proceed);
  bool go_on(const ExclusionProgress& progress, double left, const Observer& observer);
  /// Budget of a search: so long, or so many products if they take longer.
  struct Allowance {
    double seconds, products;
  };
  Allowance allowance(const Spent& spent) const;
  /// True if several states found, one after another, have lowered no energy: they were parts of
  /// known ones, which rounding of much larger elements brings up.
  bool is_in_vain();
  void note(bool reached, double gap);
  void note_failure();

  Workspace& work_;
  const Roots& roots_;
  View x_;
  double preparation_seconds_;
  std::optional<ExclusionSearch> search_;
  Exclusion exclusion_;
  std::int64_t products_ = 0;
  int searches_ = 0, taken_ = 0, in_vain_ = 0;
  double sum_ = 0.0;      ///< of the energies when the last one was found
  double seconds_ = 0.0;  ///< of all searches
  bool interrupted_ = false, out_of_time_ = false, failed_ = false;
};

}  // namespace cisolve
