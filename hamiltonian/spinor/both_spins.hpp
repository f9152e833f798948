#pragma once

#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Integrals over spatial orbitals as those over spinors: orbital p, from 0, is spinor 2p with spin
/// up and 2p + 1 with spin down, and an integral vanishes unless both orbitals of each electron
/// have one spin. Throws ResourceError where the host has no room for 16 times the integrals.
SpinorIntegrals with_both_spins(SpinorIntegrals orbitals);

}  // namespace cisolve
