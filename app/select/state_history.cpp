#include <algorithm>

#include "app/select/selection.hpp"

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

}  // namespace cisolve
