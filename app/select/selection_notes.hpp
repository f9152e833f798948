#pragma once

#include <string>
#include <vector>

#include "app/select/selection.hpp"

namespace cisolve {

/// States of a list whose corrections mean little, for they are of large coefficients.
std::vector<std::string> notes_of_coefficients(const SelectionStep& step);

/// Lists whose states crossed those of the list before. Energies that are equal to a thousandth of
/// the correction tell nothing of an order.
std::vector<std::string> notes_of_crossings(const std::vector<SelectionStep>& steps);

/// Notes on the orbitals of the result. `wanted`: natural ones were.
std::vector<std::string> notes_of_orbitals(const SelectionOutcome& outcome, bool wanted);

}  // namespace cisolve
