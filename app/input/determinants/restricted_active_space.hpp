#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// True if the configuration asks for one.
bool asks_for_ras(const DeterminantSettings& config);

/// The restricted active space that is asked for, over the active orbitals, which `active` numbers
/// in the file from 0. Throws InputError unless every list has its number, the orbitals are active
/// and each is listed once, and where an excitation rank is asked for too.
std::optional<RestrictedActiveSpace> restricted_active_space(const DeterminantSettings& config,
                                                             const std::vector<int>& active);

/// For people, the orbitals as in the file: "restricted active space: RAS1 1, 2 with at most 2
/// holes; RAS2 3, 4; RAS3 5 with at most 1 electron".
std::string ras_text(const DeterminantSettings& config, const std::vector<int>& active);

}  // namespace cisolve
