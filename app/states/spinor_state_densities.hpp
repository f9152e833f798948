#pragma once

#include <complex>
#include <span>
#include <vector>

#include "hamiltonian/spinor_product/spinor_pair_density.hpp"

namespace cisolve {

/// Densities of several states over the active spinors; host memory.
struct SpinorStateDensities {
  std::vector<SpinorDensity> one;  ///< of ⟨i| and |j⟩ at i·states + j; or of i = j alone, at i
  std::vector<SpinorPairDensity> two;  ///< of every state; empty where not asked for

  /// Γ of the states one behind another (over_all_spinors).
  std::vector<std::complex<double>> two_over_all_spinors() const;
};

/// Wanted densities of states.
struct SpinorDensityChoice {
  bool transitions = false;  ///< one-particle ones of all pairs of states
  bool two = false;          ///< two-particle ones of the states
};

/// Densities of k states, one behind another, re and im of an element side by side, over the
/// strings of the spinors' space. Throws ResourceError where memory lacks for them or for the
/// arrays of two_over_all_spinors.
SpinorStateDensities spinor_state_densities(std::span<const double> states, int k,
                                            const StringSpace& strings,
                                            const SpinorDensityChoice& choice);

}  // namespace cisolve
