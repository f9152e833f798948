#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"
#include "cisolve/report.hpp"
#include "cisolve/status.hpp"

namespace cisolve {

/// Solvers of (A − σ)x = b; D is the diagonal of A − σ, B its diagonal blocks.
enum class LinearMethod {
  automatic,  ///< cg where D is of one sign, then minres if A − σ proves indefinite; minres where
              ///< it is not; bicgstab where A is not symmetric; with a forecast the one of the
              ///< fewest products; jacobi where ω is given, block_jacobi where block_size is
  jacobi,  ///< x += ω D⁻¹r, ω = 1 unless given
  jor,     ///< the same, ω = 2 / (λmin + λmax) of D⁻¹(A − σ) unless given
  block_jacobi,  ///< x += ω B⁻¹r, ω = 2 / (λmin + λmax) of B⁻¹(A − σ) unless given, or 1 without
  srj,  ///< the same, the weights cycling through the inverse roots of Chebyshev's Tₙ
  chebyshev_jacobi,  ///< Chebyshev's three-term recurrence over [λmin, λmax]
  anderson_jacobi,   ///< jor, every p-th step Anderson's over the last m
  cg,                ///< conjugate gradients, preconditioned with D
  minres,            ///< minimal residuals, preconditioned with |D|; takes indefinite matrices
  bicgstab           ///< stabilised bi-conjugate gradients with D; takes any matrix
};

/// Their names in run files, flags and reports.
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

/// Settings of a linear solver.
struct LinearSolverSettings {
  LinearMethod method = LinearMethod::automatic;  ///< which solver
  double shift = 0.0;                             ///< σ
  double tolerance = 1e-10;         ///< on ‖b − (A − σ)x‖ / ‖b‖ of every column
  double absolute_tolerance = 0.0;  ///< on ‖b − (A − σ)x‖; a column needs one of the two
  int max_iterations = 1000;        ///< most iterations
  double time_limit = 0.0;          ///< seconds; 0: none
  /// Relaxation weight below 2 of jacobi, jor, block_jacobi and anderson_jacobi; 0: chosen.
  double omega = 0.0;
  int anderson_depth = 6;   ///< m
  int anderson_period = 6;  ///< p
  /// Looks at the spectrum before iterating and forecasts how many products each method takes.
  bool forecast = false;
  /// Lanczos steps that look at the spectrum, of two products each, for a forecast, for methods
  /// that take their weights from it, and once a method has failed; 0: none.
  int spectrum_steps = 20;
};

/// Settings of a whole calculation: the solver's and where shift and blocks come from.
struct LinearSettings : LinearSolverSettings {
  std::optional<double> shift_from_ground;  ///< σ less the lowest eigenvalue
  int block_size = 0;  ///< block_jacobi: of contiguous blocks; 0: one over the p-space
};

/// Facts of an iteration.
struct LinearIteration {
  int iteration = 0;               ///< from 0, the start
  double relative_residual = 0.0;  ///< the largest of the columns
  double seconds = 0.0;            ///< since the solve began
};

/// Called once per iteration, and before the first; false cancels.
using LinearObserver = std::function<bool(const LinearIteration&)>;

/// Result of a linear system with k right-hand sides.
struct LinearSolution {
  SolveStatus status = SolveStatus::max_iterations;  ///< how it ended
  LinearMethod method = LinearMethod::jacobi;        ///< taken: never automatic
  std::vector<double> x;                             ///< as b is: rows × k, row by row
  std::vector<double> residual_norms;  ///< ‖b − (A − σ)x‖₂ of each column, recomputed from x
  std::vector<double> relative_residuals;  ///< these over ‖b‖₂
  int iterations = 0;                      ///< of which each has a product or two
  std::int64_t operator_applications = 0;  ///< products; a block of k counts k
  double seconds = 0.0;                    ///< of the solve
  std::vector<std::string> notes;          ///< what the user should know, a sentence each
  Report report;                           ///< the program's report
};

/// (A − σ)x = b for all columns of b; without a start x begins at zero. Not of a caller's product.
/// Throws InputError and ResourceError.
LinearSolution solve_system(const Hamiltonian& hamiltonian, const VectorBlock& b,
                            const LinearSettings& settings = {},
                            const Call<LinearObserver>& call = {});

}  // namespace cisolve
