#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/select/selection.hpp"

namespace cisolve {

/// A state of one of the lists.
struct StateOfList {
  const SelectionStep* step;
  int state;  ///< from 0
};

/// The state of the last list and those that it continues in earlier ones, over the same orbitals,
/// the first one first.
std::vector<StateOfList> history_of(std::span<const SelectionStep> steps, int state);

/// Extrapolated limit of that state of the last list from its history; none: too few lists.
std::optional<Extrapolation> limit_of(std::span<const SelectionStep> steps, int state);

}  // namespace cisolve
