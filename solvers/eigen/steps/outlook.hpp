#pragma once

#include <optional>
#include <vector>

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/solver_state.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// Rates at which residuals come down by preconditioned corrections and by polynomials of A; they
/// decide how a solve goes on. Gains are of the logarithm of the wanted residuals' norm; costs are
/// numbers that are read or written.
class Outlook {
 public:
  explicit Outlook(Workspace& work);

  /// Takes note of an iteration.
  void follow(const Roots& roots);
  /// The next iteration's gain is not one of such corrections.
  void leave_out_next();
  /// True if enough iterations were seen to judge by: eight, or two where A_PP has but one level.
  bool has_seen_enough() const { return pace_.iterations >= std::ssize(pace_.gains); }
  /// True if that many were, of all.
  bool has_seen(double iterations) const { return pace_.iterations >= iterations; }
  /// The last iteration's gain.
  double last_gain() const { return pace_.gains[pace_.iterations % pace_.gains.size()]; }
  /// True if it is known what a product reads: else there is nothing to go by.
  bool known() const { return numbers_.has_value(); }
  /// Gain of an iteration: the mean, or that of the last ones; and of the best of these.
  double gain() const;
  double best_gain() const;
  /// Numbers that an iteration moves.
  double iteration() const;
  /// Numbers that a product with so many columns moves.
  double product(int columns) const;
  /// Number of reals in a vector.
  double vector() const { return n_; }

  /// A Ritz value of all sectors, ascending from number 0, no lower than the highest wanted one.
  double value(int number, const Roots& roots);
  /// Growth of C_d((θ − c)/e) with d on [a, b], a logarithm (Chebyshev).
  double growth(double theta, double a);
  /// True if [a, b] is there: Ritz values may have reached what b is estimated to be.
  bool has_interval(const Roots& roots, double a);
  /// b: an upper bound of A's eigenvalues, once there is one; else the highest diagonal element,
  /// which is below the largest: nothing is tried in vain.
  double end();
  void take_bound(double bound) { end_ = bound; }

  const Pace& pace() const { return pace_; }
  /// Takes the pace of the solve that this one goes on from.
  void take_pace(const Pace& pace);

 private:
  Workspace& work_;
  std::optional<double> numbers_;  ///< elements that a product reads
  double n_;
  Pace pace_;
  std::vector<double> values_;
  std::optional<double> end_;
};

}  // namespace cisolve
