#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// How large a CI space is, without its strings.
struct SpaceSize {
  Space space = Space::fci;
  bool restricted = false;   ///< of a restricted active space; `space` is fci then
  std::optional<int> irrep;  ///< none: all irreps
  double determinants = 0.0;
  /// Nonzeros of the matrix over them, about; of truncated spaces more than there are.
  double nonzeros = 0.0;
};

/// Of the spaces that have names and of `asked`, all irreps together and, where the orbitals have
/// irreps, each alone that determinants have. A determinant of n_σ electrons in n orbitals couples
/// with
///   1 + Σ_σ [n_σ h_σ + C(n_σ, 2) C(h_σ, 2)] + n_α h_α n_β h_β,   h_σ = n − n_σ
/// of full CI, itself among them, of which an irrep has its share of all, about. Throws as
/// make_ci_space does where electrons do not fit, and for more than 64 orbitals. Last comes the
/// restricted active space, where one is given.
std::vector<SpaceSize> space_sizes(const Integrals& integrals, Space asked = Space::fci,
                                   const std::optional<RestrictedActiveSpace>& ras = {});

/// With a comma every three digits; from 1e15 on, where a double no longer tells all of them, in
/// powers of ten.
std::string count_text(double count);

}  // namespace cisolve
