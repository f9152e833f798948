#pragma once

#include <string>
#include <utility>

#include "cisolve/hamiltonian.hpp"

namespace cisolve {

/// The spaces that have names in run files, flags and reports, and so are listed by size.
inline constexpr std::pair<Space, const char*> named_spaces[]{{Space::fci, "fci"},
                                                              {Space::cis, "cis"},
                                                              {Space::cisd, "cisd"},
                                                              {Space::cisdt, "cisdt"},
                                                              {Space::cisdtq, "cisdtq"}};

/// The name, else the rank.
inline std::string space_name(Space space) {
  for (const auto& [named, name] : named_spaces) {
    if (named == space) return name;
  }
  return std::to_string(*space.rank);
}

}  // namespace cisolve
