#pragma once

#include <string>

#include "app/config/config.hpp"
#include "app/select/selection.hpp"

namespace cisolve {

/// First-order coefficient of a determinant outside the list above which perturbation theory, which
/// is of small ones, means little.
inline constexpr double large_coefficient = 0.3;

/// Why the lists so far are enough, a sentence; empty: they are not.
std::string ending_of(const SelectionOutcome& outcome, const SelectionSettings& wanted);

/// True if the states of the last list tell what orbitals are good: it has a tenth of what is
/// wanted, or so many determinants that natural orbitals hardly change beyond.
bool tells_of_orbitals(const SelectionStep& last, const SelectionSettings& wanted);

}  // namespace cisolve
