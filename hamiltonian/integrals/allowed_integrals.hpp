#pragma once

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// The integrals, those that the irreps of their orbitals forbid exactly zero: rounding has left
/// some of them, up to symmetry_zero, and who follows elements however small would follow them to
/// other irreps. Without irreps as they are; what is as it was is shared.
Integrals allowed_integrals(const Integrals& integrals);

}  // namespace cisolve
