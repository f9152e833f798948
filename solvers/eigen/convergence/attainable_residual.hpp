#pragma once

#include <algorithm>

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// The residual norm that rounding in double precision lets a state x of eigenvalue θ have:
/// f ε max(‖Dx‖, |θ|), D the diagonal of A and f the method's factor (EigenMethodTraits::rounding).
/// The images carry their rounding through every restart, and a solve that aims below what it
/// leaves goes on to the last iteration allowed, while its vectors get worse. θ decides where
/// elements off the diagonal are larger than those on it.
///
/// For any x, ‖Dx‖ is at most max |a_ii|. A few diagonal elements may be very much larger than all
/// that the wanted states have a part in: then these tell, by ‖Dx‖ ≤ ‖max(D − d, δ)x‖ + |d| with d
/// the lowest element.
class AttainableResidual {
 public:
  explicit AttainableResidual(Workspace& work);

  /// That norm, as far as the Ritz pairs tell.
  double now() const { return std::max(of_diagonal_, of_values_); }
  /// Takes the wanted Ritz values, and looks at the Ritz vectors where their residuals are as small
  /// as that of any x and smaller ones are asked for; takes the memory of new vectors and their
  /// images, and X, n × states.
  void update(const Roots& roots, double tolerance, View x);

 private:
  double of_wanted(const Roots& roots, View x);

  Workspace& work_;
  double rounding_, lowest_ = 0.0, of_any_ = 0.0;
  double of_diagonal_ = 0.0, of_values_ = 0.0;
};

}  // namespace cisolve
