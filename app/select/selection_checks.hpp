#pragma once

#include "app/config/config.hpp"

namespace cisolve {

/// Throws InputError where keys of a selection contradict each other, or ask for what it has not.
void require_consistent_selection(const RunConfig& config);

/// Throws InputError where a file is to be read or written whose orbitals are those of the input:
/// lists are over natural ones.
void refuse_file_orbitals(const RunConfig& config);

}  // namespace cisolve
