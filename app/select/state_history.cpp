#include "app/select/state_history.hpp"

#include <algorithm>

namespace cisolve {

std::vector<StateOfList> history_of(std::span<const SelectionStep> steps, int state) {
  std::vector<StateOfList> history;
  for (auto step = steps.rbegin(); step != steps.rend() && state >= 0; ++step) {
    history.push_back({&*step, state});
    if (step->continues.empty()) break;
    state = step->continues[static_cast<std::size_t>(state)];
  }
  std::ranges::reverse(history);
  return history;
}

std::optional<Extrapolation> limit_of(std::span<const SelectionStep> steps, int state) {
  std::vector<double> energies, corrections;
  for (const StateOfList& one : history_of(steps, state)) {
    energies.push_back(one.step->energies[one.state]);
    corrections.push_back(one.step->correction.energies[one.state]);
  }
  return extrapolated(energies, corrections, steps.back().correction.deviations[state]);
}

}  // namespace cisolve
