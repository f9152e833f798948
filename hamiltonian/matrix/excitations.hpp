#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/host_device.hpp"
#include "hamiltonian/space/slater_condon.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// A single excitation q → p of a string to another of the same space. Aligned, as Neighbour is, so
/// that a GPU loads one at once.
struct alignas(8) SingleExcitation {
  Index target;       ///< number of the string it leads to
  std::int16_t pair;  ///< pair_index(p, q)
  std::int16_t sign;  ///< ⟨target| a†_p a_q |string⟩
};

/// A string that the Hamiltonian connects to a given one while the other spin's string stays:
/// H = value + sign · Σ_{j in the other string} (pq|jj).
/// A double excitation has sign 0, pair 0, and is listed only when its value is not exactly zero.
struct alignas(16) Neighbour {
  double value;
  Index target;
  std::int16_t pair, sign;

  /// H, given Σ_j (pq|jj). Rounded once, fused or not, for the product is exact: CPU and GPU agree.
  CISOLVE_HOST_DEVICE double element(double field) const { return value + sign * field; }
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

  /// The lists of all strings, one behind another, that of string s at begin[s] … begin[s + 1] − 1.
  std::span<const SingleExcitation> all_singles() const { return singles_; }
  std::span<const Offset> singles_begin() const { return singles_begin_; }
  std::span<const Neighbour> all_neighbours() const { return neighbours_; }
  std::span<const Offset> neighbours_begin() const { return neighbours_begin_; }
  std::span<const double> energies() const { return energies_; }

 private:
  std::vector<double> energies_;
  std::vector<Offset> singles_begin_, neighbours_begin_;
  std::vector<SingleExcitation> singles_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace cisolve
