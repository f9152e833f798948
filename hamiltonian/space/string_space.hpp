#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace cisolve {

/// Occupied spatial orbitals of one spin, bit p for orbital p.
using OrbitalString = std::uint64_t;

/// The strings of one spin, grouped by (irrep, excitation rank) and ascending within a group; so
/// every set "this irrep, at most this rank" is one contiguous range. Only strings that some
/// determinant of the space uses are held.
struct StringSpace {
  int orbitals = 0;
  int electrons = 0;
  int irreps = 1;  ///< groups by irrep: 1, 2, 4 or 8
  int max_rank = 0;
  bool full = false;  ///< full CI: every string counts as rank 0, for no rank is excluded
  OrbitalString reference = 0;
  /// Orbitals whose irrep has bit k set; the irrep of a string is the XOR of its orbitals'.
  std::array<OrbitalString, 3> irrep_masks{};
  std::vector<OrbitalString> strings;
  std::vector<std::int8_t> irrep_of;  ///< of each string
  std::vector<std::int8_t> rank_of;   ///< of each string
  /// First string of group (irrep, rank) at [irrep·(max_rank + 1) + rank]; one more at the end.
  std::vector<Index> group_begin;

  Index size() const { return static_cast<Index>(strings.size()); }
  int groups() const { return irreps * (max_rank + 1); }

  int irrep(OrbitalString s) const {
    int result = 0;
    for (int k = 0; k < 3; ++k) result |= (std::popcount(s & irrep_masks[k]) & 1) << k;
    return result;
  }
  /// Electrons outside the reference's orbitals.
  int rank(OrbitalString s) const { return full ? 0 : std::popcount(s & ~reference); }
  int group(int irrep_number, int rank_number) const {
    return irrep_number * (max_rank + 1) + rank_number;
  }
  /// Number of a string; −1 when it is not in the space.
  Index find(OrbitalString s) const;
};

/// How many strings each group (irrep, rank) has, without making them: exact below 2^64.
std::vector<long double> count_strings(const StringSpace& space);

/// Fills strings, irrep_of, rank_of and group_begin with the strings of the groups `wanted`.
void fill_strings(StringSpace& space, const std::vector<bool>& wanted);

}  // namespace cisolve
