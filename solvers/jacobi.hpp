#pragma once

#include <functional>

#include "backends/backend.hpp"
#include "solvers/status.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

struct LinearOptions {
  double tolerance = 1e-10;  ///< on ‖b − (A − σ)x‖ / ‖b‖
  int max_iterations = 1000;
  double omega = 1.0;       ///< relaxation weight, 0 < ω < 2
  double shift = 0.0;       ///< σ
  double time_limit = 0.0;  ///< seconds; 0: none
};

struct LinearIteration {
  int iteration = 0;
  double relative_residual = 0.0;
  double seconds = 0.0;
};

/// Called once per iteration; false cancels.
using LinearObserver = std::function<bool(const LinearIteration&)>;

struct LinearResult {
  SolveStatus status = SolveStatus::max_iterations;
  int iterations = 0;
  double residual_norm = 0.0;      ///< ‖b − (A − σ)x‖₂, recomputed from the returned x
  double relative_residual = 0.0;  ///< over ‖b‖₂; the absolute one when b = 0
  double seconds = 0.0;
};

/// Weighted Jacobi for (A − σ)x = b:  x ← x + ω (D − σ)⁻¹ (b − (A − σ)x),  D the diagonal of A.
/// x (n × 1, backend memory) holds the start and returns the iterate with the smallest residual
/// seen. Stops as `diverged` when the residual holds NaN or has grown 10⁴-fold over its smallest,
/// or has not fallen below its smallest for 50 iterations and exceeds it by a tenth; as `stagnated`
/// when it has not for 50 and does not. Throws InputError naming
/// the first row with a zero (or NaN) shifted diagonal, or when A is not square.
LinearResult jacobi(const LinearOperator& a, Backend& backend, ConstView b, View x,
                    const LinearOptions& options, const LinearObserver& observer = {});

}  // namespace cisolve
