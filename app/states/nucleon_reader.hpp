#pragma once

#include <memory>

#include "app/states/state_reader.hpp"
#include "hamiltonian/nuclear/shell_interaction.hpp"
#include "hamiltonian/nuclear/shell_space.hpp"

namespace cisolve {

/// Reads vectors over the determinants of nucleons of a sector, on the host of every rank; these
/// must outlive it. `order`: as make_row_reader has it. Throws ResourceError where there is no
/// memory.
std::unique_ptr<StateReader> make_nucleon_reader(Backend& backend,
                                                 const ShellInteraction& interaction,
                                                 const Determinants& determinants,
                                                 const ShellSector& sector, const RowOrder* order);

}  // namespace cisolve
