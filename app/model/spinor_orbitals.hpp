#pragma once

#include "app/config/config.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// The configuration with the spinors of the integrals in the place of the file's orbitals, frozen,
/// active, of RAS1 and RAS3, where these are not spinors themselves. Throws InputError on one that
/// the file has not.
InputConfig over_spinors(InputConfig config, const SpinorIntegrals& integrals);

/// The configuration over those of `spinors` that are active, numbered anew from 1, which are all
/// that restricted integrals have. Throws InputError on a spinor of RAS1 or RAS3 that is not among
/// them.
InputConfig over_active_spinors(InputConfig config, int spinors);

/// Numbers from 0.
std::vector<int> from_zero(std::vector<int> numbers);

}  // namespace cisolve
