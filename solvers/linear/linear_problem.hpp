#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "cisolve/linear.hpp"
#include "cisolve/status.hpp"
#include "solvers/linear/spectrum/jacobi_spectrum.hpp"
#include "solvers/linear/splitting.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

std::string to_string(LinearMethod method);
/// "D^-1 (A - shift)", of block_jacobi "B^-1 (A - shift)".
std::string preconditioned_name(LinearMethod method);

/// Options of the linear solvers beside the settings.
struct LinearOptions : LinearSolverSettings {
  /// A is symmetric. Only then is its spectrum looked at, and are the methods that need one, or
  /// symmetry itself, taken: all but jacobi, block_jacobi, bicgstab, and jor and anderson_jacobi
  /// with ω given.
  bool symmetric = false;
  /// Those of A, for block_jacobi, which needs them; not owned.
  const DiagonalBlocks* blocks = nullptr;
  std::uint64_t seed = 1;  ///< of the random part of the start vector of the spectrum
};

/// Expected needs of a method from x = 0 (solvers/linear/spectrum/linear_forecast.hpp).
struct LinearForecast {
  LinearMethod method = LinearMethod::jacobi;
  std::optional<int> iterations;  ///< none: it does not converge within the iterations looked at
  int products = 0;               ///< that these take
};

struct LinearResult {
  LinearMethod method = LinearMethod::jacobi;  ///< taken: never automatic
  SolveStatus status = SolveStatus::max_iterations;
  int iterations = 0;
  double omega = 0.0;  ///< relaxation weight taken; 0: the method has none
  std::string system;  ///< what A − σ is, as far as is known: "symmetric, indefinite …"
  /// ‖b − (A − σ)x‖₂ of each column, recomputed from the returned x, and over ‖b‖₂ (0
  /// where b = 0).
  std::vector<double> residual_norms, relative_residuals;
  double residual_norm = 0.0, relative_residual = 0.0;  ///< the largest of these
  /// The largest relative residual of the columns before iteration 0, every, 2 every …
  std::vector<double> history;
  int history_every = 1;
  std::int64_t operator_applications = 0;  ///< all products, a block of k counting k
  /// Products before iterating, included above: the spectrum's, if that is looked at then, and one
  /// for the residual of a start x ≠ 0.
  std::int64_t setup_applications = 0;
  std::optional<JacobiSpectrum> spectrum;
  /// Forecasts of block_jacobi alone if that is the method, for its spectrum is another; else of
  /// the others.
  std::vector<LinearForecast> forecasts;
  std::vector<std::string> notes;  ///< what the user should know, a sentence each
  double seconds = 0.0;
};

/// Solves (A − σ)x = b for all columns of b at once. x (n × k, backend memory) holds the start and
/// returns of every column the last iterate or one seen before: one within the tolerance where any
/// was, else one with a residual of at most twice the smallest seen (to keep the very smallest
/// would take a copy of x in almost every iteration). A recurred residual that rounding may have
/// made is compared with that of x before it counts. x is zero if b is.
///
/// Units do not matter: 2^s A, 2^s σ, 2^t b (and a start to match) give 2^(t − s) times the same
/// bits after as many products. Norms of b below 1e−155 or above 1e155 are like others.
///
/// Stops as `diverged` when a residual holds NaN, or has grown 10⁴-fold over its smallest (10⁸ of
/// Krylov methods), or has not fallen below its smallest for 50 iterations (500) and exceeds it
/// tenfold, or, before iterating, when the look at the spectrum met a number that is not finite; as
/// `stagnated` when it has not and does not, when rounding keeps it above the tolerance, or when it
/// cannot be told from rounding; as `indefinite` where A − σ is symmetric, not definite, and the
/// method needs it to be: before iterating where the spectrum was looked at, else where cg meets a
/// direction of negative curvature. If the method was left open, minres goes on from the best
/// iterate of one that failed on a symmetric matrix. After a failure the spectrum is looked at, and
/// the notes say what may do better.
///
/// Throws InputError when A is not square, the method does not take the matrix, an option is out of
/// range, b or the solution is not held by doubles, or naming the first row whose shifted diagonal
/// is NaN, or zero where the method divides by it, or of a singular block.
LinearResult solve_linear(const LinearOperator& a, Backend& backend, ConstView b, View x,
                          const LinearOptions& options, const LinearObserver& observer = {});

/// Products with a symmetric A that come before the first iteration.
int products_before(const LinearOptions& options);

/// Bytes of backend memory that the solve takes for k columns, b and x among them, diagonal blocks
/// not.
std::size_t linear_vector_bytes(const LinearOptions& options, Index rows, int columns);

}  // namespace cisolve
