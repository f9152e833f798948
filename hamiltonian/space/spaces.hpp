#pragma once

#include <array>
#include <optional>
#include <utility>

#include "cisolve/hamiltonian.hpp"

namespace cisolve {

/// A kind of CI space by its name in run files, flags and reports.
struct SpaceTraits {
  Space space;
  const char* name;
  std::optional<int> max_excitation;  ///< from the reference determinant; none: full CI
};

inline constexpr std::array spaces{
    SpaceTraits{Space::fci, "fci", std::nullopt}, SpaceTraits{Space::cis, "cis", 1},
    SpaceTraits{Space::cisd, "cisd", 2},          SpaceTraits{Space::cisdt, "cisdt", 3},
    SpaceTraits{Space::cisdtq, "cisdtq", 4},
};

constexpr const SpaceTraits& traits_of(Space space) {
  for (const SpaceTraits& traits : spaces) {
    if (traits.space == space) return traits;
  }
  return spaces[0];
}

/// Spaces and their names, as tables of names are.
inline constexpr auto space_names = [] {
  std::array<std::pair<Space, const char*>, spaces.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {spaces[i].space, spaces[i].name};
  return names;
}();

}  // namespace cisolve
