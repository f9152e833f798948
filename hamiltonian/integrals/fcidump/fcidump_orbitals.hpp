#pragma once

#include <optional>

#include "hamiltonian/integrals/fcidump/fcidump_header.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// Numbering of spins in lines whose numbers go up to `numbers`. Interleaved or in blocks, if only
/// one of the two pairs no orbitals of different spin. Restricted, if the orbitals are spatial
/// ones, whose exchange integrals (pq|pq) are positive: more than half of those of odd with even
/// numbers are given and not 0. None if nothing decides. Throws InputError as IntegralLines does.
std::optional<FcidumpLayout> layout_of_lines(const NamedText& source, const FcidumpHeader& header,
                                             int numbers);

/// True if some two of the orbitals have one density and no exchange, (pp|pp) = (pp|qq) = (qq|qq)
/// and (pq|pq) = 0: one spatial orbital with both spins, which spatial orbitals never are.
bool have_spin_partners(const Integrals& integrals);

/// True if integrals that were read as those of spatial orbitals are those of spin orbitals: two
/// are spin partners, or the orbitals fall into two kinds, odd and even or lower and upper half,
/// between which there is neither exchange (pq|pq) nor h_pq, while every orbital has one of the
/// other kind where it is, (pp|qq) ≥ ½(pp|pp); fragments that lie far apart have none. Models
/// without any exchange are not judged.
bool look_like_spin_orbitals(const Integrals& integrals);

/// Makes one set of integrals over NORB orbitals those of general spin orbitals, all electrons of
/// one kind.
void make_general(Integrals& integrals);

}  // namespace cisolve
