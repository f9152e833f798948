#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "solvers/linear/jacobi_spectrum.hpp"
#include "solvers/linear/splitting.hpp"
#include "solvers/status.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Solvers of (A − σ)x = b; D is the diagonal of A − σ, B its diagonal blocks. Each has its file,
/// which cites its source.
enum class LinearMethod {
  automatic,  ///< the one whose forecast has the fewest products; without a forecast minres, or
              ///< bicgstab where A is not symmetric
  jacobi,     ///< x += ω D⁻¹r, ω = 1 unless given
  jor,        ///< the same, ω = 2 / (λmin + λmax) of D⁻¹(A − σ) unless given
  block_jacobi,  ///< x += ω B⁻¹r, ω = 2 / (λmin + λmax) of B⁻¹(A − σ) unless given, or 1 without
  srj,  ///< the same, the weights cycling through the inverse roots of Chebyshev's Tₙ
  chebyshev_jacobi,  ///< Chebyshev's three-term recurrence over [λmin, λmax]
  anderson_jacobi,   ///< jor, every p-th step Anderson's over the last m
  cg,                ///< conjugate gradients, preconditioned with D
  minres,            ///< minimal residuals, preconditioned with |D|; takes indefinite matrices
  bicgstab           ///< stabilised bi-conjugate gradients with D; takes any matrix
};
inline constexpr std::pair<LinearMethod, const char*> linear_method_names[] = {
    {LinearMethod::automatic, "auto"},
    {LinearMethod::jacobi, "jacobi"},
    {LinearMethod::jor, "jor"},
    {LinearMethod::block_jacobi, "block_jacobi"},
    {LinearMethod::srj, "srj"},
    {LinearMethod::chebyshev_jacobi, "chebyshev_jacobi"},
    {LinearMethod::anderson_jacobi, "anderson_jacobi"},
    {LinearMethod::cg, "cg"},
    {LinearMethod::minres, "minres"},
    {LinearMethod::bicgstab, "bicgstab"}};
std::string to_string(LinearMethod method);
/// "D^-1 (A - shift)", of block_jacobi "B^-1 (A - shift)".
std::string preconditioned_name(LinearMethod method);

struct LinearOptions {
  LinearMethod method = LinearMethod::jacobi;
  /// A is symmetric. Only then is its spectrum looked at, and are the methods that need one, or
  /// symmetry itself, taken: all but jacobi, block_jacobi, bicgstab, and jor and anderson_jacobi
  /// with ω given.
  bool symmetric = false;
  double shift = 0.0;               ///< σ
  double tolerance = 1e-10;         ///< on ‖b − (A − σ)x‖ / ‖b‖ of every column
  double absolute_tolerance = 0.0;  ///< on ‖b − (A − σ)x‖; a column needs one of the two
  int max_iterations = 1000;
  double time_limit = 0.0;  ///< seconds; 0: none
  /// Relaxation weight below 2 of jacobi, jor, block_jacobi and anderson_jacobi; 0: chosen.
  double omega = 0.0;
  /// Those of A, for block_jacobi, which needs them; not owned.
  const DiagonalBlocks* blocks = nullptr;
  int anderson_depth = 6;   ///< m
  int anderson_period = 6;  ///< p
  int spectrum_steps = 20;  ///< Lanczos steps before iterating; 0: no interval and no forecast
  std::uint64_t seed = 1;   ///< of the random part of their start vector
};

struct LinearIteration {
  int iteration = 0;
  double relative_residual = 0.0;  ///< the largest of the columns
  double seconds = 0.0;
};

/// Called once per iteration, and before the first; false cancels.
using LinearObserver = std::function<bool(const LinearIteration&)>;

/// What a method is expected to need from x = 0 (solvers/linear/linear_forecast.hpp).
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
  /// ‖b − (A − σ)x‖₂ of each column, recomputed from the returned x, and over ‖b‖₂ (the absolute
  /// one where b = 0).
  std::vector<double> residual_norms, relative_residuals;
  double residual_norm = 0.0, relative_residual = 0.0;  ///< the largest of these
  /// The largest relative residual of the columns before iteration 0, every, 2 every …
  std::vector<double> history;
  int history_every = 1;
  std::int64_t operator_applications = 0;  ///< all products, a block of k counting k
  /// Of which before iterating: the spectrum's, and one for the residual of a start x ≠ 0.
  std::int64_t setup_applications = 0;
  std::optional<JacobiSpectrum> spectrum;
  /// Of block_jacobi alone where that is the method, for its spectrum is another; else of the
  /// others.
  std::vector<LinearForecast> forecasts;
  std::vector<std::string> notes;  ///< what the user should know, a sentence each
  double seconds = 0.0;
};

/// Solves (A − σ)x = b for all columns of b at once. x (n × k, backend memory) holds the start and
/// returns of every column the last iterate or one seen before: one within the tolerance where any
/// was, else one with a residual of at most twice the smallest seen (to keep the very smallest
/// would take a copy of x in almost every iteration).
///
/// Stops as `diverged` when a residual holds NaN, or has grown 10⁴-fold over its smallest (10⁸ of
/// Krylov methods), or has not fallen below its smallest for 50 iterations (500) and exceeds it
/// tenfold, or, before iterating, when the look at the spectrum met a number that is not finite; as
/// `stagnated` when it has not and does not; as `indefinite` before iterating where A − σ is
/// symmetric, not definite, and the method needs it to be.
///
/// Throws InputError when A is not square, the method does not take the matrix, an option is out of
/// range, or naming the first row with a zero (or NaN) shifted diagonal or of a singular block.
LinearResult solve_linear(const LinearOperator& a, Backend& backend, ConstView b, View x,
                          const LinearOptions& options, const LinearObserver& observer = {});

/// Bytes of backend memory that the solve takes for k columns, b and x among them, diagonal blocks
/// not.
std::size_t linear_vector_bytes(const LinearOptions& options, Index rows, int columns);

}  // namespace cisolve
