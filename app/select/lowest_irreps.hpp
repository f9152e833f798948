#pragma once

#include <string>

#include "app/select/growing_states.hpp"
#include "hamiltonian/select/selection.hpp"

namespace cisolve {

/// The first list where no irrep is asked for. What the Hamiltonian adds to a list has the irreps
/// of its states, and those of a hundred determinants need not have the lowest states' irreps. So a
/// list of 400 determinants is selected in each irrep, and `states` begin in those that have
/// the lowest states then, to second order: with the first list of one irrep, with the lists of
/// 400 of several. A sentence that says which; empty where there is one irrep, or where it was
/// cancelled.
std::string begin_in_lowest_irreps(GrowingStates& states, const RunContext& context,
                                   const Model& model, const GoesOn& goes_on);

}  // namespace cisolve
