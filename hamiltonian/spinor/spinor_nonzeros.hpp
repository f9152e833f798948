#pragma once

#include "hamiltonian/space/strings/string_space.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Nonzeros that the complex matrix over a space has at least: the diagonal, and of full CI every
/// double excitation whose integral is not zero. Single excitations, a sum of integrals each, may
/// vanish. O(n⁴) for n spinors.
double fewest_nonzeros(const SpinorIntegrals& integrals, const StringSpace& space);

}  // namespace cisolve
