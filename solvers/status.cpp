#include "cisolve/status.hpp"

#include <utility>

namespace cisolve {

std::string to_string(SolveStatus status) {
  using enum SolveStatus;
  constexpr std::pair<SolveStatus, const char*> names[] = {
      {converged, "converged"},   {max_iterations, "max_iterations"},
      {time_limit, "time_limit"}, {stagnated, "stagnated"},
      {breakdown, "breakdown"},   {diverged, "diverged"},
      {indefinite, "indefinite"}, {cancelled, "cancelled"}};
  for (const auto& [known, name] : names) {
    if (known == status) return name;
  }
  return "unknown";
}

}  // namespace cisolve
