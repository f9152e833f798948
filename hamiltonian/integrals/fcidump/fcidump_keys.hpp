#pragma once

#include <string_view>

#include "hamiltonian/integrals/fcidump/namelist.hpp"

namespace cisolve {

/// Numbers that the integrals of a file are.
enum class IntegralValues { real, complex };

/// Holds every key of the header against the table of keys that are known from programs that write
/// or read FCIDUMP files. Throws InputError, naming key and reason, for one that is not known, and
/// for one whose value says that the file holds what cannot be solved: integrals of less than
/// eightfold symmetry, complex ones where `values` are real, or ones that lie elsewhere. An entry
/// without a value says nothing.
void require_known_keys(const Namelist& list, IntegralValues values);

/// True if every number of the value is 0 and every truth value .FALSE.: what is the default of the
/// keys that only a few files need.
bool is_off(std::string_view value);

}  // namespace cisolve
