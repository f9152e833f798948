#include "hamiltonian/space/range_lists.hpp"

namespace cisolve {

void RangeLists::mark_reached() {
  const auto count = static_cast<std::size_t>(space_.ranges());
  reached_.assign(space_.beta.groups() * count, 0);
  for (Index b = 0; b < space_.beta.size(); ++b) {
    std::uint8_t* reached = &reached_[space_.beta.group_of[b] * count];
    const Entries* of_string = &entries_[b * count];
    for (std::size_t r = 0; r < count; ++r) {
      if (of_string[r].first != of_string[r].last) reached[r] = 1;
    }
  }
}

}  // namespace cisolve
