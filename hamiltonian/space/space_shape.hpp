#pragma once

#include "core/error.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Error of make_ci_space if there are more determinants than the options allow.
class TooManyDeterminants : public InputError {
 public:
  using InputError::InputError;
};

/// A space of all irreps whose strings are not made: of either spin what a string can be, and the
/// holes and particles that both together have at most.
struct SpaceShape {
  StringSpace alpha, beta;
  int holes = 0, particles = 0;
};

/// Strings have irreps where orbitals have; the options' own is of no account. Throws as
/// count_determinants.
SpaceShape shape_of_all_irreps(const Integrals& integrals, CiSpaceOptions options);

}  // namespace cisolve
