#pragma once

#include <string_view>

#include "hamiltonian/integrals/fcidump/namelist.hpp"

namespace cisolve {

/// Numbers that the integrals of a file are, and their symmetry.
enum class IntegralValues {
  real,      ///< of real orbitals: (pq|rs) = (qp|rs) = (pq|sr) = (rs|pq) ...
  fourfold,  ///< real, of complex orbitals: (pq|rs) = (rs|pq) = (qp|sr) = (sr|qp)
  complex    ///< (pq|rs) = (rs|pq) = (qp|sr)* = (sr|qp)*
};

/// Holds every key of the header against the table of keys that are known from programs that write
/// or read FCIDUMP files. Throws InputError, naming key and reason, for one that is not known, and
/// for one whose value says that the file holds what cannot be solved or is not expected here:
/// integrals of less symmetry than `values` have, complex ones where these are real, or ones that
/// lie elsewhere. An entry without a value says nothing.
void require_known_keys(const Namelist& list, IntegralValues values);

/// True if a key says that the orbitals have momenta, so that integrals have fourfold symmetry.
bool says_momenta(const Namelist& list);

/// True if every number of the value is 0 and every truth value .FALSE.: what is the default of the
/// keys that only a few files need.
bool is_off(std::string_view value);

/// True if the header has the key, with a value that is not off.
bool is_on(const Namelist& list, std::string_view key);

}  // namespace cisolve
