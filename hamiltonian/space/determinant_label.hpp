#pragma once

#include <array>
#include <string>
#include <vector>

#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Notation of determinants for people, over the orbitals of the file.
class DeterminantLabels {
 public:
  /// The space is one of restrict_orbitals' active orbitals: `orbitals` in the file, 0-based
  /// `frozen` and `active` ones among them. Without both lists, all are active. `general`: spin
  /// orbitals that mix alpha and beta, whose electrons are the alpha ones of a determinant.
  DeterminantLabels(int orbitals, const std::vector<int>& frozen, const std::vector<int>& active,
                    bool general = false);

  /// One letter for each orbital of the file, in its order: 2, a (alpha), b (beta) or 0; frozen
  /// orbitals are 2, those neither frozen nor active 0. "22ab0". General spin orbitals have 1 or 0.
  std::string occupation(const Determinant& determinant) const;
  /// The excitation that makes it from the reference, orbitals counted from 1 as in the file, alpha
  /// ones first: "2a 3b -> 5a 4b"; "reference" for the reference itself. General spin orbitals have
  /// no letters.
  std::string excitation(const Determinant& determinant, const Determinant& reference) const;

 private:
  std::string orbitals(OrbitalString alpha_ones, OrbitalString beta_ones) const;

  std::string empty_;        ///< the occupation without active electrons
  std::vector<int> active_;  ///< number in the file, 0-based, of each active orbital
  std::string occupations_;  ///< by alpha electrons + 2 beta electrons
  std::array<const char*, 2> spins_;
};

}  // namespace cisolve
