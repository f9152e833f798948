#pragma once

#include <string>

#include "app/solve/outcome/outcome.hpp"

namespace cisolve {

/// A Molden file of the natural orbitals of a state, from 0, of an outcome that has orbitals and
/// densities. Active orbitals give way to them in the order of their occupations n, descending; the
/// others stay as the file has them, frozen ones with two electrons, the rest with none.
std::string molden_of_state(const EigenOutcome& outcome, std::size_t state);

}  // namespace cisolve
