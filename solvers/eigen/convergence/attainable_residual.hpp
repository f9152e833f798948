#pragma once

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// The residual norm that rounding in double precision lets a state x have: f ε ‖Dx‖, D the
/// diagonal of A and f the method's factor (EigenMethodTraits::rounding). The images carry their
/// rounding through every restart, and a solve that aims below what it leaves goes on to the last
/// iteration allowed, while its vectors get worse.
///
/// `of_any` is what it is for any x, f ε max |a_ii|. A few diagonal elements may be very much
/// larger than all that the wanted states have a part in: then `of_wanted` tells, by
/// ‖Dx‖ ≤ ‖max(D − d, δ)x‖ + |d| with d the lowest element.
class AttainableResidual {
 public:
  explicit AttainableResidual(Workspace& work);

  double of_any() const { return of_any_; }
  /// The largest of all wanted Ritz vectors; takes the memory of new vectors and their images, and
  /// X, n × states. Never more than of_any.
  double of_wanted(const Roots& roots, View x);

 private:
  Workspace& work_;
  double rounding_, lowest_ = 0.0, of_any_ = 0.0;
};

}  // namespace cisolve
