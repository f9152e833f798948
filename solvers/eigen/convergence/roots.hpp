#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/sector_search.hpp"

namespace cisolve {

/// A state: a Ritz pair of a sector.
struct Root {
  double energy;
  int sector, number;  ///< of the pair in its sector, ascending
};

/// Which Ritz pairs of the sectors are the states, and what every sector has to do to bring them to
/// the tolerance.
class Roots {
 public:
  Roots(std::span<const std::unique_ptr<SectorSearch>> searches, const EigenOptions& options);

  /// Nothing is known of the sectors. Residuals are not asked to be below `attainable`.
  void begin_anew(double attainable);
  /// They are not asked to be below this from here on.
  void aim_above(double attainable) { attainable_ = attainable; }

  /// The lowest Ritz pairs of all sectors become the wanted ones. `worked`: of each sector, whether
  /// its basis has grown by all that was proposed since the last call.
  void choose(std::span<const char> worked);
  /// Pairs whose residuals are to be known: the wanted and the guard.
  int tracked(int sector) const;
  /// Decides the next task of each sector; after the residuals are known.
  void plan();
  /// The sectors that are marked take a vector, the others do nothing.
  void plan_lower(std::span<const char> marked);
  /// Every sector corrects all pairs that are tracked, up to `most`.
  void plan_all(int most);
  /// Sectors whose first pair above the wanted ones is a neighbour correct that pair; false where
  /// there is none.
  bool plan_neighbours();
  /// Smallest distance of the next pairs above the highest wanted energy, by their residuals; below
  /// zero if that is not known.
  double distance_to_next() const;
  /// True if a pair above the wanted ones has the highest one's energy: its Ritz value is no lower
  /// than the next eigenvalue, which is no lower than the highest wanted one.
  bool cut_a_level() const;
  /// Largest energy that a Ritz pair left out of a search may hide from it, ‖r_j‖² / (θ_j −
  /// energy).
  double hidden(int sector, int number, double energy) const;
  /// As much as all of a sector together may, as a part of the gap.
  static constexpr double hidden_part = 0.125;
  /// Energies have changed by an unknown amount.
  void forget_changes();

  SectorTask& task(int sector) { return work_[sector].task; }
  const SectorTask& task(int sector) const { return work_[sector].task; }
  int wanted(int sector) const { return work_[sector].wanted; }
  /// The highest wanted energy.
  double highest() const { return highest_; }
  /// Sum over all wanted pairs.
  double sum_of_energies() const;

  /// Wanted pairs that meet the criterion, and whether those are all states.
  int small_count() const;
  bool all_small() const { return small_count() == options_.states; }
  /// Smallest residual norm of the wanted pairs.
  double smallest_norm() const;
  /// Frobenius norm of the wanted pairs' residuals, a bound of what they change eigenvalues by.
  double residual_norm() const;
  /// True if a state of such residual norm, and change of its energy, is found. By its energy it is
  /// also where the residual, a bound of the energy's error, is as small as the change may be.
  bool found(double norm, double change, double tolerance) const;
  /// The wanted pairs, ascending.
  const std::vector<Root>& list();
  double energy_change(const Root& root) const { return work_[root.sector].changes[root.number]; }

  /// For and from a checkpoint.
  SectorState state(int sector) const;
  void resume(int sector, const SectorState& state);

 private:
  struct Work {
    int wanted = 0;  ///< its lowest pairs that are among the states
    SectorTask task;
    std::vector<double> energies, changes;  ///< of its lowest pairs
  };

  bool small(int s, int j) const;
  bool settled(int s, int j) const;
  /// True if a sector's first pair above the wanted ones is closer to the highest of these than the
  /// gap of a search, and not known well enough to be left out of it (ExclusionSearch).
  bool is_neighbour(int s) const;
  void note_changes(int s, bool worked);

  std::span<const std::unique_ptr<SectorSearch>> searches_;
  const EigenOptions& options_;
  bool searched_;            ///< a search for lower states follows
  double attainable_ = 0.0;  ///< what rounding allows a residual norm to be
  std::vector<Work> work_;
  std::vector<Root> pairs_, list_;
  int found_ = 0;         ///< pairs wanted, at most the states
  double highest_ = 0.0;  ///< wanted energy
};

}  // namespace cisolve
