#pragma once

#include <ostream>

#include "app/config/json.hpp"
#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// Transitions between the states, by the lower one: `from`, `to` (states from 1), `energy`,
/// `dipole` (x, y, z in e Bohr) and `oscillator_strength`, null where the unit of energies is none.
/// Transitions of an outcome with dipole moments.
Json transitions_json(const EigenOutcome& outcome);

/// Moments and transitions, as tables.
void print_dipoles(std::ostream& out, const EigenOutcome& outcome);

}  // namespace cisolve
