#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "hamiltonian/space/any_space.hpp"
#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/spinor/diagonal_integrals.hpp"
#include "tests/support/integrals/random_spinors.hpp"

namespace cisolve {

/// Strings of four electrons in eight spinors: of up to two excitations, and three of a list in no
/// order.
inline std::vector<StringSpace> excited_and_listed_strings() {
  const Integrals real = diagonal_integrals(random_spinors(8, 4, 5));
  CiSpaceOptions doubles;
  doubles.max_excitation = 2;
  const std::vector<OrbitalString> listed{
      OrbitalString::of(3, 4, 5, 7), OrbitalString::of(0, 1, 2, 3), OrbitalString::of(0, 1, 5, 7)};
  return {make_ci_space(real, doubles).alpha,
          make_listed_space(real, listed, std::vector<OrbitalString>(listed.size())).alpha()};
}

/// A complex vector of norm 1 over these strings, real and imaginary parts side by side.
inline std::vector<double> random_state(const StringSpace& space, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<double> x(2 * static_cast<std::size_t>(space.size()));
  double norm = 0.0;
  for (double& element : x) {
    element = random.normal();
    norm += element * element;
  }
  for (double& element : x) element /= std::sqrt(norm);
  return x;
}

}  // namespace cisolve
