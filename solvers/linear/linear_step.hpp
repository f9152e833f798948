#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "solvers/linear/linear_problem.hpp"
#include "solvers/linear/linear_system.hpp"

namespace cisolve {

/// A method: from an iterate and its residual, both n × k, it makes the next ones.
class LinearStep {
 public:
  virtual ~LinearStep() = default;
  /// Iterations begin, anew or for the first time, at an iterate with residual R.
  virtual void begin(ConstView r) = 0;
  /// X, R := the next iterate and its residual, R as the method has it: recurred, not always
  /// recomputed from X. A status where the method cannot go on.
  virtual std::optional<SolveStatus> advance(ConstView b, View x, View r) = 0;
  /// The residual of that column, or the direction of its step, was in the null space of S, or an
  /// eigenvector of a very small eigenvalue: there is nothing to go on from, and x stays.
  virtual bool exhausted(int /*column*/) const { return false; }
};

/// Signs of a solve that leads nowhere.
struct Patience {
  int iterations;         ///< without a new smallest residual
  double largest_growth;  ///< of a residual over its smallest
};

/// What is fixed of a method, whatever the matrix.
struct MethodTraits {
  bool any_matrix;      ///< takes a matrix that is not symmetric
  bool needs_definite;  ///< diverges or breaks down where a symmetric matrix is not definite; to
                        ///< the others a zero of D may count as one
  bool needs_interval;  ///< needs [λmin, λmax] unless ω is given
  bool recurs;          ///< has its residuals by recurrence, not from X
  int products;         ///< in an iteration
  int vectors;          ///< n × k blocks it allocates, beside x, b of both units, r and the best x
  Patience patience;
};
MethodTraits traits(LinearMethod method, const LinearOptions& options);

/// ω of jacobi, jor, block_jacobi and anderson_jacobi; 0 of the others. `interval`: of M⁻¹S, where
/// known.
double relaxation_weight(const LinearOptions& options, const std::optional<Interval>& interval);

/// The method that the options name, for blocks of `columns` vectors.
std::unique_ptr<LinearStep> make_step(LinearSystem& system, const LinearOptions& options,
                                      const std::optional<Interval>& interval, int columns);

// Of each file:
std::unique_ptr<LinearStep> make_relaxation(LinearSystem& system, std::vector<double> weights);
std::unique_ptr<LinearStep> make_chebyshev_jacobi(LinearSystem& system, const Interval& interval,
                                                  int columns);
std::unique_ptr<LinearStep> make_anderson_jacobi(LinearSystem& system, double omega, int depth,
                                                 int period, int columns);
std::unique_ptr<LinearStep> make_cg(LinearSystem& system, int columns);
std::unique_ptr<LinearStep> make_minres(LinearSystem& system, int columns);
std::unique_ptr<LinearStep> make_bicgstab(LinearSystem& system, int columns);

/// Weights of a cycle of scheduled relaxation, the cycle that is fastest to the tolerance.
std::vector<double> scheduled_weights(const Interval& interval, double tolerance);

}  // namespace cisolve
