#pragma once

#include <filesystem>
#include <string>

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Writes them as an FCIDUMP file (Knowles, Handy, Comput. Phys. Commun. 1989, 54, 75), with as
/// many digits as tell all numbers apart, ORBSYM as the file that they came from counts it;
/// integrals that are zero are left out, but for the diagonal of h. For restricted orbitals.
/// `name`: for messages. Throws ResourceError where it cannot be written.
void write_fcidump(const Integrals& integrals, const std::filesystem::path& path,
                   const std::string& name);

}  // namespace cisolve
