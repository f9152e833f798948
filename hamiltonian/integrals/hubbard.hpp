#pragma once

#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// The Hubbard model on a ring of sites, in site orbitals:
///   H = −t Σ_{i,σ} (a†_{i+1,σ} a_{iσ} + h.c.) + U Σ_i n_{i↑} n_{i↓}.
/// Two sites have one bond, one has none. `electrons` are filled as evenly as M_s allows.
struct HubbardRing {
  int sites = 8;  ///< 1 … 128
  double t = 1.0;
  double u = 4.0;
  int electrons = 0;  ///< 0: one per site
};

/// Its integrals: h_{i,i+1} = −t, (ii|ii) = U. M_s is 0, or 1/2 for an odd number of electrons.
Integrals hubbard_integrals(const HubbardRing& ring);

}  // namespace cisolve
