#pragma once

#include <cstddef>
#include <vector>

#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// Determinants that a user has chosen, in any order: determinant i has the strings alpha[i] and
/// beta[i]; of a product every alpha string goes with every beta string, alpha first.
struct DeterminantList {
  std::vector<OrbitalString> alpha, beta;
  bool product = false;

  std::size_t size() const { return product ? alpha.size() * beta.size() : alpha.size(); }
};

}  // namespace cisolve
