#pragma once

#include <limits>
#include <vector>

#include "backends/ranks/communicator.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/types.hpp"

namespace cisolve {

/// One vector's Lanczos recurrence in a sector (Krylov), without the vectors x_j: their lengths,
/// the tridiagonal matrix T, and its lowest Ritz pairs.
struct LanczosRecurrence {
  /// Ritz values of one level, in units of the scale.
  static constexpr double same_level = 1e-7;

  std::vector<double> alpha, beta, length;  ///< β_{j+1} behind α_j
  double before = 0.0;                      ///< what x_{j−1} is multiplied with
  bool whole = false;                       ///< the Krylov space
  bool failed = false;                      ///< a product brought NaN or infinity
  HostVector values;                        ///< of the lowest Ritz pairs, each once
  HostMatrix vectors;                       ///< in the x_j/‖x_j‖

  /// Takes note of x_{j+1}, whose square this is; the factor that it is to be multiplied with.
  double grow(double square);
  /// Lengths of x_j and x_{j+1}, from which parts were taken out.
  void take_lengths(double of_last, double of_next);
  /// The `count` lowest Ritz pairs, in a space of so many rows.
  void solve(int count, Index rows, Communicator& ranks);
  double residual(int i) const;
  /// True if rounding begins to bring pair i up again: it has by ε‖T‖/residual (Paige).
  bool has_converged(int i) const;
  /// Number of the lowest pairs whose vectors were made, to residuals of at most `largest`. A pair
  /// that has come up among them since moves those above it.
  int count_made(double largest = std::numeric_limits<double>::infinity());
  void note_made(int i);
  /// False after a failure, where parts that were taken out were no small ones, and for elements
  /// of which rounding takes the digits that tell levels apart.
  bool can_tell() const;

 private:
  struct Made {
    double value, residual;
  };
  double largest() const;

  std::vector<Made> made_;
  bool disturbed_ = false;
};

}  // namespace cisolve
