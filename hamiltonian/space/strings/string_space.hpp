#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"

namespace cisolve {

/// The strings of one spin, grouped by (irrep, holes in RAS1, particles in RAS3) and ascending
/// within a group. Full CI has neither range and so one group an irrep; of excitations from a
/// reference determinant RAS3 is what the reference leaves empty, and particles are the rank. Only
/// strings that some determinant of the space uses are held.
struct StringSpace {
  int orbitals = 0;
  int electrons = 0;
  int irreps = 1;  ///< groups by irrep: 1, 2, 4 or 8
  OrbitalString ras1, ras3;
  int max_holes = 0, max_particles = 0;  ///< of a string
  bool full = false;                     ///< of full CI: no string is excluded but by irrep
  OrbitalString reference;
  /// Orbitals whose irrep has bit k set; the irrep of a string is the product of its orbitals'.
  std::array<OrbitalString, 3> irrep_masks{};
  std::vector<OrbitalString> strings;
  std::vector<std::int8_t> irrep_of;   ///< of each string
  std::vector<std::int16_t> group_of;  ///< of each string
  /// First string of each group; one more at the end.
  std::vector<Index> group_begin;

  Index size() const { return static_cast<Index>(strings.size()); }
  int groups() const { return irreps * classes(); }

  int irrep(OrbitalString s) const {
    int result = 0;
    for (int k = 0; 1 << k < irreps; ++k) result |= int{(s & irrep_masks[k]).odd()} << k;
    return result;
  }
  /// Orbitals of RAS1 without an electron.
  int holes(OrbitalString s) const { return (ras1 & ~s).count(); }
  /// Electrons in RAS3.
  int particles(OrbitalString s) const { return (s & ras3).count(); }
  int group(int irrep_number, int hole_number, int particle_number) const {
    return irrep_number * classes() + hole_number * (max_particles + 1) + particle_number;
  }
  /// Number of a string; −1 when it is not in the space.
  Index find(OrbitalString s) const;

 private:
  int classes() const { return (max_holes + 1) * (max_particles + 1); }
};

/// Number of strings of each group, without making them: exact below 2^64.
std::vector<long double> count_strings(const StringSpace& space);

/// Fills strings, irrep_of, group_of and group_begin with the strings of the groups `wanted`.
void fill_strings(StringSpace& space, const std::vector<bool>& wanted);

}  // namespace cisolve
