#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hamiltonian/slater_condon.hpp"

namespace cisolve {

/// A single excitation q → p of a string to another of the same space.
struct SingleExcitation {
  Index target;       ///< number of the string it leads to
  std::int16_t pair;  ///< pair_index(p, q)
  std::int16_t sign;  ///< ⟨target| a†_p a_q |string⟩
};

/// A string that the Hamiltonian connects to a given one while the other spin's string stays:
/// H = value + sign · Σ_{j in the other string} (pq|jj).
/// A double excitation has sign 0, pair 0, and is listed only when its value is not exactly zero.
struct Neighbour {
  double value;
  Index target;
  std::int16_t pair, sign;
};

/// Excitations of every string of a space within the space, by ascending target.
class ExcitationTable {
 public:
  ExcitationTable(const StringSpace& space, const SpinIntegrals& integrals);

  std::span<const SingleExcitation> singles(Index string) const {
    return {singles_.data() + singles_begin_[string], singles_.data() + singles_begin_[string + 1]};
  }
  /// Singles and doubles together.
  std::span<const Neighbour> neighbours(Index string) const {
    return {neighbours_.data() + neighbours_begin_[string],
            neighbours_.data() + neighbours_begin_[string + 1]};
  }
  /// Energy of the string's electrons among themselves, Hartree.
  double energy(Index string) const { return energies_[string]; }
  std::size_t bytes() const;

 private:
  std::vector<double> energies_;
  std::vector<Offset> singles_begin_, neighbours_begin_;
  std::vector<SingleExcitation> singles_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace cisolve
