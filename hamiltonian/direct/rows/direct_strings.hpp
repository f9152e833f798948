#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/direct/rows/orbital_labels.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// The strings of one spin of a full CI space, by irrep, ascending within one, whether the space is
/// of one irrep or of all. Irreps are those of OrbitalLabels here and in what is made of it, and
/// orbitals as many as these have.
struct DirectStrings {
  DirectStrings(const StringSpace& space, const std::vector<int>& orbital_irreps);

  Index size() const { return static_cast<Index>(strings.size()); }
  Index size(int irrep) const { return begin[irrep + 1] - begin[irrep]; }
  int irrep(OrbitalString64 s) const;
  /// Number of a string here; −1 when it is not in the space.
  Index find(OrbitalString64 s) const;

  int orbitals, electrons;
  std::vector<int> orbital_irreps;
  std::vector<OrbitalString64> strings;
  std::vector<std::int8_t> irrep_of;           ///< of each string
  std::vector<Index> number;                   ///< of each string, in the CI space
  std::array<Index, most_irreps + 1> begin{};  ///< irrep g has begin[g] … begin[g + 1] − 1
};

/// A pair of orbitals p ≥ q of one spin stands for the operator
///   X_pq = E_pq + E_qp for p > q,  X_pp = E_pp,
/// symmetric, E_pq = a†_p a_q; p = −1 for X_0 = 1. For p > q at most one of both terms excites a
/// given string, so X_pq leads it to at most one other.
struct OrbitalPair {
  int p, q;
  bool operator==(const OrbitalPair&) const = default;
};
inline constexpr OrbitalPair no_pair{-1, -1};

/// Link of a pair of orbitals: the string that it makes of another, with a sign. Aligned so that a
/// GPU loads one at once.
struct alignas(8) PairLink {
  Index string;
  std::int16_t pair;  ///< number of the pair among those of its irrep
  std::int16_t sign;
};

/// The pairs of each irrep: X_0, then p = q, then p > q by ascending p, q.
std::array<std::vector<OrbitalPair>, most_irreps> pairs_by_irrep(
    const std::vector<int>& orbital_irreps);

}  // namespace cisolve
