#pragma once

#include <string>
#include <vector>

#include "app/config/counted_kinds.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// The point group of the irreps, in the place of the one that the file names: D2h, C2v, C2h, D2,
/// Cs, C2, Ci or C1, whatever the case. Throws InputError where it is none of these, has fewer
/// irreps than the orbitals, or these have none.
void set_point_group(const std::string& name, Integrals& integrals);

/// The irreps of "B1" or "A1:2,B1". Throws InputError where it is no such list.
std::vector<CountedKind> irrep_list(const std::string& text);

/// The number of an irrep, 0-based in ORBSYM order, from a number or from a name such as "B1u"
/// (upper and lower case alike). Names need the point group that the file's header names by PNTGRP,
/// or `set_point_group`; their order is Molpro's, or PySCF's where labels count from 0. Throws
/// InputError listing the names there are, or saying that the file names no point group.
int irrep_number(const std::string& text, const Integrals& integrals);

/// The name of an irrep where the file names its point group, else its number.
std::string irrep_name(int irrep, const Integrals& integrals);

}  // namespace cisolve
