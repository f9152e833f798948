#pragma once

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/steps/lanczos_recurrence.hpp"
#include "solvers/eigen/steps/outlook.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// Corrections from Krylov spaces of random vectors, where the diagonal knows little of the matrix:
/// one vector a product serves all states, where a polynomial takes a block. In every sector
///   x_{j+1} = A x_j − α_j x_j − β_j² x_{j−1},  α_j = x_jᵀA x_j / x_jᵀx_j,  β_j = ‖x_j‖/‖x_{j−1}‖
/// (Lanczos; lengths are left as they come, and set to one where they are far from it). With s an
/// eigenvector of the tridiagonal matrix of α and β,
///   t = Σ_j s_j x_j / ‖x_j‖,  ‖At − θt‖ = β_{m+1} |s_m|.
/// The x_j are kept, and not made orthogonal to all before: they lose that along pairs that have
/// converged, to which they are made orthogonal now and then.
///
/// For several states two vectors are drawn, each with a recurrence of its own. A level has one
/// vector in each Krylov space, and the two differ where it has more than one state: both are
/// taken. If they are equal the level has one state, except with a probability of 2ε/π that two
/// directions of a plane differ by less than the angle ε. The recurrences also exclude lower states
/// without a search (sturm_bound).
class Krylov {
 public:
  Krylov(Workspace& work, Outlook& outlook) : work_(work), outlook_(outlook) {}

  /// True if corrections are to be made so now: no state is nearly there, residuals have come down
  /// more slowly, for the memory traffic that it took, than they would so, and there is memory for
  /// many vectors. Once in a solve. Not where states are sought in a subspace: every vector would
  /// have to be projected.
  bool worth(const Roots& roots);

  /// T := lowest Ritz vectors of every sector, as many as T has columns, once all states are small,
  /// or the room is used up, or `goes_on`, asked before every product, says no. `scratch`: memory
  /// as large as T.
  void correct(View t, View scratch, const std::function<bool()>& goes_on);

  /// The gap for which no state that lies more than that below the highest one was missed, with the
  /// probability of error that the options allow; infinite where nothing is known of it.
  double excluded_gap(const Roots& roots) const;

 private:
  /// A sector.
  struct Part {
    std::vector<LanczosRecurrence> of_start;
    std::vector<double> simple;  ///< levels that have one state
    bool whole() const;
  };
  struct Sum {
    std::vector<ConstView> x;
    HostMatrix c;
  };

  bool has_room();
  View x(int j);
  void begin();
  void step(int j);
  void recur(int s, int j);
  void solve_recurrences();
  void make_converged(View t, View scratch);
  void make_all(double small, View t, View scratch);
  bool have_several(View t, View scratch);
  std::vector<std::pair<int, int>> same_levels(int s, int of_first, int of_second) const;
  void plan_sum(int s, int start, int first, View y);
  void make_planned();
  void purge(int j, View t, View scratch);
  double largest_residual();
  bool excludes_others(int s, std::span<const double> known, double width, double end) const;
  bool excludes_lower() const;
  bool excludes_lower(const Roots& roots, double width, double end) const;
  void choose(int s, View t, View scratch);

  Workspace& work_;
  Outlook& outlook_;
  bool tried_ = false, rounded_ = false;
  int starts_ = 1;
  MultiVector vectors_;  ///< blocks one behind another: each is written alone
  int room_ = 0;         ///< blocks
  std::vector<Part> parts_;
  std::vector<std::pair<double, double>> lowest_;  ///< values and residuals
  std::vector<double> zeros_, by_, dots_;
  HostMatrix products_;
  std::array<Sum, 2> sums_;         ///< terms of each start's vectors
  std::vector<VectorSum> planned_;  ///< sums that make_planned makes
};

}  // namespace cisolve
