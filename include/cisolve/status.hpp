#pragma once

#include <string>

namespace cisolve {

/// How a solve ended. Only `converged` is success.
enum class SolveStatus {
  converged,
  max_iterations,
  time_limit,
  stagnated,
  breakdown,
  diverged,
  indefinite,
  cancelled
};

/// The word used in reports: "converged", "max_iterations" …
std::string to_string(SolveStatus status);

}  // namespace cisolve
