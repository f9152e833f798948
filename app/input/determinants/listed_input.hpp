#pragma once

#include <optional>
#include <vector>

#include "app/config/config.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/listed/determinant_list.hpp"
#include "io/determinants/determinant_file.hpp"

namespace cisolve {

/// The list that the configuration has or names, by strings over the orbitals of the integrals;
/// none where there is none. Throws InputError where there are two, or a file or array is wrong.
std::optional<ReadList> read_listed(const InputConfig& config, const Integrals& integrals);

/// Strings over the active orbitals of strings over all: bit i stands for orbital active[i].
/// Throws InputError where a frozen orbital is not doubly occupied, of general spin orbitals by
/// alpha, or another one that is not active is occupied.
DeterminantList active_strings(const DeterminantList& list, const std::vector<int>& frozen,
                               const std::vector<int>& active, const Integrals& integrals);

}  // namespace cisolve
