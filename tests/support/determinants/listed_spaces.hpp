#pragma once

#include <vector>

#include "hamiltonian/space/listed/listed_space.hpp"

namespace cisolve::testing {

/// A list of determinants over so many orbitals.
inline ListedSpace listed_space(int orbitals, const std::vector<Determinant>& determinants,
                                const Determinant& reference) {
  StringSpace of_alpha, of_beta;
  std::vector<OrbitalString> alphas, betas;
  for (const auto& [a, b] : determinants) {
    alphas.push_back(a);
    betas.push_back(b);
  }
  const auto shape = [&](StringSpace& space, Spin spin) {
    space.orbitals = orbitals;
    space.electrons = reference[spin].count();
    space.reference = reference[spin];
  };
  shape(of_alpha, alpha);
  shape(of_beta, beta);
  return {of_alpha, of_beta, alphas, betas};
}

}  // namespace cisolve::testing
