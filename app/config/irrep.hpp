#pragma once

#include <string>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// The number of an irrep, 0-based in ORBSYM order, from a number or from a name such as "B1u"
/// (upper and lower case alike). Names need the point group that the file's header names by PNTGRP;
/// their order is Molpro's. Throws InputError listing the names there are, or saying that the file
/// names no point group.
int irrep_number(const std::string& text, const Integrals& integrals);

/// The name of an irrep where the file names its point group, else its number.
std::string irrep_name(int irrep, const Integrals& integrals);

}  // namespace cisolve
