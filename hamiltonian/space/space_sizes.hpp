#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Size of a CI space, without its strings.
struct SpaceSize {
  Space space = Space::fci;
  bool restricted = false;        ///< of a restricted active space; `space` is fci then
  std::optional<int> irrep = {};  ///< none: all irreps
  double determinants = 0.0;
  /// Nonzeros of the matrix over them, no more than that: but for single excitations whose sums
  /// vanish as many.
  double nonzeros = 0.0;
  double fewest_nonzeros = 0.0;  ///< there surely are
};

/// Sizes of the spaces that have names and of `asked`, all irreps together and, if the orbitals
/// have irreps, each alone that determinants have. Nonzeros are those of these integrals
/// (bound_nonzeros). Last comes the restricted active space, if one is given. Throws as
/// make_ci_space if electrons do not fit, and for more than 128 orbitals.
std::vector<SpaceSize> space_sizes(const Integrals& integrals, Space asked = Space::fci,
                                   const std::optional<RestrictedActiveSpace>& ras = {});

/// With a comma every three digits; from 1e15 on, where a double no longer tells all of them, in
/// powers of ten.
std::string count_text(double count);

}  // namespace cisolve
