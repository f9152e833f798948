#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/steps/outlook.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// Corrections by a polynomial of A, where the diagonal knows too little of it for others. For a
/// residual r = (A − θ)x of a Ritz vector x of length one
///   t = q(A)r,  q(λ)(λ − θ) = C_d((λ − c)/e) / C_d((θ − c)/e) − 1,  c = (a + b)/2, e = (b − a)/2,
/// C_d Chebyshev's polynomial: x + t has the components of x with eigenvalues in [a, b] divided by
/// up to C_d((θ − c)/e), which grows with d as exp(2d √((a − θ)/(b − a))) (Zhou, Saad, SIAM J.
/// Matrix Anal. Appl. 2007, 29, 954). With z_k = C_k((θ − c)/e) t_k, for k = 1 … d − 1,
///   z_1 = r/e,  z_{k+1} = 2/e (A − c)z_k + 2/e C_k((θ − c)/e) r − z_{k−1}.
/// A step is a product, which has − z_{k−1} in it, and a pass over three blocks as z; bases are
/// neither read nor grow.
class Chebyshev {
 public:
  Chebyshev(Workspace& work, Outlook& outlook) : work_(work), outlook_(outlook) {}

  /// True if corrections are to be made so from now on: once the residuals have come down for some
  /// iterations, and have done so more slowly, for the memory traffic that it took, than they would
  /// by polynomials. Needs some products once, and memory for a block of vectors; where that is
  /// missing, never.
  bool worth(const Roots& roots);

  /// The last decision of `worth`, for corrections that tell nothing of the pace.
  bool still_worth(const Roots& roots);

  /// b of the polynomials, an upper bound of the eigenvalues, once products were spent on it.
  std::optional<double> bound() const { return bound_; }
  /// Takes the bound of an earlier solve.
  void take_bound(std::optional<double> bound) { bound_ = bound; }

  /// T := its corrections; T are the residuals of the pairs that the sectors' tasks name. The
  /// degree is lower if `goes_on`, asked before every product, says no. Only if it is worth it.
  void correct(Roots& roots, View t, const std::function<bool()>& goes_on);

 private:
  /// Logarithm of what a correction is to divide the highest wanted pair's error by: little while
  /// the Ritz values above, by which the interval goes, have a long way to fall; once a correction
  /// has nearly kept that, what is left is gone in few, for each brings passes over the basis.
  double aim(const Roots& roots) const;
  double largest_eigenvalue();
  bool prepare();

  Workspace& work_;
  Outlook& outlook_;
  MultiVector z_;
  std::optional<double> bound_;
  bool on_ = false, refused_ = false;
  // By sector and column: (θ − c)/e, C_k/C_{k−1}, 2/e C_k.
  std::vector<std::vector<double>> argument_, ratio_, of_t_;
  std::vector<double> of_z_;  ///< −2c/e, by column
};

}  // namespace cisolve
