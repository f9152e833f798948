#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/lower/lanczos_bound.hpp"
#include "solvers/eigen/lower/metric.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// In units of the scale; states nearer to the highest one found than that, or than these are known
/// to, are not told from it.
inline constexpr double finest_gap = 1e-6;

/// Searches what is orthogonal to the states found for lower ones, and tells what it excludes.
///
/// With X the states found in a sector and σ a little below the highest of all, A − σ on X^⊥ has a
/// negative eigenvalue where a state below σ was missed (by the min-max theorem, whatever the
/// residuals of X). X may have Ritz vectors of higher energies θ_j too, with residuals r_j: where
/// A − σ has no negative eigenvalue on X^⊥, its Schur complement there is no less than
/// −ρ(σ), ρ(σ) = Σ_j ‖r_j‖² / (θ_j − σ), and no state below σ − ρ(σ) was missed. Taken are those
/// that make ρ a small part of the gap: the next states' distances, of which the number of steps
/// depends, are further then. By Sylvester's law of inertia A − σ has on X^⊥ as many negative
/// eigenvalues as the pencil (A − σ, M), M positive definite; with M ≈ |A − σ| its spectrum is of
/// order one where A's is tens of Hartree wide. Lanczos in the inner product of M, from random
/// vectors in X^⊥ of every sector:
///   y ~ N(0, 1), u = M^½y, v = M⁻¹u;  u made orthogonal to M⁻¹X and v to X
///   w = (A − σ)v − β²u₋,  α = vᵀw / uᵀv,  w −= αu;  z = M⁻¹w,  β² = wᵀz / uᵀv;  u₋, u, v ← u, w, z
/// (the lengths of u and v are left as they come, and set to one where they are far from it). If
/// states are sought in a subspace alone, with the projector P, PM⁻¹P stands for M⁻¹ and u begins
/// as PM^½y. In the inner product of PM⁻¹P the variance of u's part along a unit vector is then 1
/// or more, as (PM⁻¹P)⁻¹ ≤ PMP, and the length of u tells how small such a part may be. The start
/// vectors, b of them, are independent, and each has a recurrence of its own: a state is missed
/// where the bounds of all fail, for which each has to be as sure as p^(1/b) only. One product
/// serves all of them and all sectors. Vectors are not kept, nor made orthogonal to all before:
/// copies of Ritz values do no harm here. LanczosBound has what follows from α and β. A state below
/// σ that shows itself gets its Ritz vector by a second pass through the same steps.
class ExclusionSearch {
 public:
  enum class End { excluded, found, stopped, failed, imprecise };

  /// Called after every step; false ends the search, unless that was the last.
  using Observer = std::function<bool(const ExclusionProgress&)>;

  /// `gap`: σ's distance from the highest energy; `probability`: of error, at most;
  /// `x`, `y`: memory, n × states each, or more columns, for X to have more. Throws ResourceError
  /// without memory for 4b + 1 vectors.
  ExclusionSearch(Workspace& work, const Roots& roots, double gap, double probability,
                  std::uint64_t seed, View x, View y);

  /// `found` also where the observer ended it after a Ritz value had fallen below σ; `failed` where
  /// a product brought NaN or infinity; `imprecise` where M is so far from |A − σ| that rounding
  /// takes the digits that tell a state below σ from one above.
  End run(const Observer& observer);
  /// Products made so far, and products needed in all.
  ExclusionProgress progress() const;
  /// Gap below the highest energy that is excluded.
  double excluded_gap() const;
  /// True if Ritz values leave room for a state between σ and the highest energy. If they do not,
  /// no state below the highest one was missed at all.
  bool near() const;
  /// Gap that is excluded then, below the highest energy. If X has pairs just above that, with
  /// nothing else up to a gap beyond, their energies are known to Σ_j ‖r_j‖² over the gap.
  double nearest() const { return nearest_; }
  /// True if the lowest Ritz values are known so well that they will not fall below zero.
  bool settled() const;
  /// Sectors where a lower state has shown itself.
  std::vector<char> found() const;
  /// T (n × 1) := in the sectors that have one, the approximate lower state, else zero: `found`.
  End lower_vectors(View t, const Observer& observer);

 private:
  /// Recurrence from one start vector of a sector.
  struct Recurrence {
    explicit Recurrence(double near_limit) : near(near_limit) {}

    /// Restarts from u₋ and u with uᵀv = 1.
    void restart() {
      beta = before = 0.0;
      square = 1.0;
    }

    double alpha = 0.0, beta = 0.0;
    double square = 1.0;  ///< uᵀv
    double before = 0.0;  ///< of u₋ in the next step
    bool whole = false;   ///< the Krylov space is
    LanczosBound bound;   ///< below σ
    PolynomialSum near;   ///< below the highest energy
  };
  struct Part {
    bool active = false;  ///< takes part: the sector has more than what is known of it
    bool done = false;   ///< nothing below σ, and it is known whether there is near it; or no more
                         ///< vectors
    bool near = false;   ///< a Ritz value that may be that of a state below the highest one
    bool found = false;  ///< a Ritz value below σ
    int known = 0;       ///< columns of X
    HostMatrix inverse;  ///< (XᵀM⁻¹X)⁻¹
    double needed = 0.0;  ///< of every bound's sum
    std::vector<Recurrence> recurrences;

    /// The lowest Ritz pair of all, and whose it is.
    std::pair<LanczosBound::Lowest, int> lowest() const;
  };

  double shift(const Roots& roots);
  double highest_near(int s, const Roots& roots);
  void begin();
  void begin(int s);
  void step(bool record);
  void recur(int s);
  void measure(int s, bool record, double outside);
  void deflate(int s, ConstView along, ConstView against, View t);
  void dots(ConstView x, ConstView y);
  void follow(int s);
  bool complete() const;
  bool good_enough() const;
  double forecast() const;
  View part(MultiVector& v, int s) { return work_.part(v.view(), s); }
  ConstView x(int s) const;
  ConstView y(int s) const;

  Workspace& work_;
  View x_, y_;
  std::vector<Part> parts_;
  double gap_, sigma_, probability_;
  double nearest_ = 0.0;
  /// By how much at most rounding outside the subspace has grown in u since that was projected: in
  /// a step by (|α| + β₋) / β, as v alone keeps to the subspace.
  double outside_ = 1.0;
  bool failed_ = false;     ///< NaN or infinity
  bool imprecise_ = false;  ///< End::imprecise
  std::uint64_t seed_;
  int starts_;  ///< b
  Metric metric_;
  MultiVector before_, u_, v_, w_;
  int steps_ = 0, found_at_ = 0;  ///< found_at_: the step of the first Ritz value below σ
  HostMatrix c_;
  std::vector<double> shift_by_, scale_, zeros_, dots_;  ///< a number a column
};

}  // namespace cisolve
