#include "cisolve/status.hpp"

namespace cisolve {

std::string to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::max_iterations:
      return "max_iterations";
    case SolveStatus::time_limit:
      return "time_limit";
    case SolveStatus::stagnated:
      return "stagnated";
    case SolveStatus::breakdown:
      return "breakdown";
    case SolveStatus::diverged:
      return "diverged";
    case SolveStatus::indefinite:
      return "indefinite";
    case SolveStatus::cancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace cisolve
