#pragma once

#include <vector>

#include "app/input/determinants/determinants.hpp"
#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/densities.hpp"

namespace cisolve {

/// States that have two-particle densities.
enum class TwoParticle { none, states, states_and_transitions };

/// Densities of several states, over the active orbitals; host memory.
struct StateDensities {
  bool restricted = true;         ///< both spins have the same orbitals
  std::vector<OneDensities> one;  ///< of ⟨i| and |j⟩ at i·states + j
  std::vector<Densities> two;     ///< of every state; empty where not asked for
  /// Transition densities of ⟨i| and |j⟩, i < j, by i, then j; empty if not asked for.
  std::vector<Densities> transitions;
};

/// Densities of the states in the columns of x, over the determinants in their order, in host
/// memory; those of full CI are made on the backend. Throws ResourceError without memory.
StateDensities state_densities(const ConstHostRef& x, const Determinants& determinants,
                               Backend& backend, TwoParticle two);

/// Densities of ⟨x_0| and |x_1⟩, the columns of x.
Densities transition_densities(const ConstHostRef& x, const Determinants& determinants,
                               Backend& backend);

}  // namespace cisolve
