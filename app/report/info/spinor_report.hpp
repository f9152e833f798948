#pragma once

#include <ostream>

#include "app/config/json.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// `spinors` of the report of `cisolve info`: electrons in the active of n spinors of the file, and
/// what full CI over them takes; docs/configuration.md has its fields. `full_ci` has the number of
/// determinants, of nonzeros and the bytes of a vector and of the matrix in CSR; over Kramers pairs
/// and of an odd number of electrons `kramers_pairs` has what eigenstates take.
Json spinors_json(const SpinorIntegrals& active, int spinors);

/// Text of that for people.
void print_spinors(std::ostream& out, const Json& spinors);

}  // namespace cisolve
