#pragma once

#include <string>

namespace cisolve {

/// Reason why a solve ended. Only `converged` is success.
enum class SolveStatus {
  converged,       ///< solved to the tolerance
  max_iterations,  ///< a limit ended it
  time_limit,      ///< likewise
  stagnated,       ///< more iterations would not help
  breakdown,       ///< NaN or infinity appeared
  diverged,        ///< of linear systems: the residual grew
  indefinite,      ///< of linear systems: the method needs a definite matrix
  cancelled        ///< an observer answered false
};

/// The word used in reports: "converged", "max_iterations" …
std::string to_string(SolveStatus status);

}  // namespace cisolve
