#pragma once

#include "app/config/config.hpp"
#include "app/input/determinants/determinants.hpp"

namespace cisolve {

/// The functions that the rows of a product without a matrix are: those of one parity where
/// input.spin_inversion or, of full CI with M_s = 0 over restricted orbitals, solver.multiplicity
/// says which (spins 0, 2, 4 … are even, 1, 3 … odd), else all. A caller's projector need not keep
/// to a parity: with one all. Throws as Determinants::space.
SpinInversion parity_of_rows(const RunConfig& config, const Determinants& determinants);

/// The parity of the states of a multiplicity.
SpinInversion parity_of_multiplicity(int multiplicity);

}  // namespace cisolve
