#pragma once

#include <vector>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/spinor_product/spinor_pair_density.hpp"

namespace cisolve {

/// Densities of several states over the active spinors; host memory.
struct SpinorStateDensities {
  std::vector<SpinorDensity> one;      ///< of ⟨i| and |j⟩ at i·states + j
  std::vector<SpinorPairDensity> two;  ///< of every state; empty where not asked for

  /// Those of the states themselves, of so many.
  std::vector<SpinorDensity> of_states(std::size_t states) const;
};

/// Densities of the states in the columns of x, re and im in neighbouring rows, over the strings of
/// the spinors' space. Throws ResourceError without memory.
SpinorStateDensities spinor_state_densities(const ConstHostRef& x, const StringSpace& strings,
                                            bool two);

}  // namespace cisolve
