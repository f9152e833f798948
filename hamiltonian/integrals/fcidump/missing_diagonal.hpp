#pragma once

#include <cstddef>
#include <string>

#include "hamiltonian/integrals/fcidump/namelist.hpp"

namespace cisolve {

/// Diagonal one-electron integrals that a file gives, of orbitals or spinors.
struct GivenDiagonal {
  std::string kind;          ///< "orbital", "spinor"
  std::string missing = {};  ///< those without one, for people; empty: none
  bool any = false;          ///< of others there is one
  bool hopping = false;      ///< pairs of them have an integral that is not 0
};

/// The warning for a file in which some are missing; empty where none is. Integrals at the end of a
/// file are the one-electron ones, so a hole among their diagonal is the mark of a file cut short;
/// what it leaves is a plausible and wrong Hamiltonian. Throws InputError at `last_line` for that,
/// unless it is allowed, or the file is of a model that has none.
std::string warning_of(const GivenDiagonal& diagonal, const NamedText& source,
                       std::size_t last_line, bool allow_missing);

}  // namespace cisolve
