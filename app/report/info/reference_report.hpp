#pragma once

#include <ostream>

#include "app/config/json.hpp"
#include "app/model/model.hpp"

namespace cisolve {

/// `reference` of the report of `cisolve info`: the reference determinant over the active orbitals,
/// its energy, and these orbitals, those of lowest energy first; docs/configuration.md has its
/// fields. For FCIDUMP with at most 128 active orbitals; throws as `reference_determinant` does.
Json reference_json(const Determinants& determinants, Units units);

/// Prints it for people.
void print_reference(std::ostream& out, const Json& reference);

}  // namespace cisolve
