#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// An excitation of an alpha string of a list to a target: none, from[0] → to[0], or two.
struct TargetLink {
  Index source;  ///< number of the string
  std::int8_t electrons, sign;
  std::uint8_t from[2], to[2];
};

/// Single and double excitations of a string.
inline double number_of_excitations(const StringSpace& space) {
  const double n = space.electrons, u = space.orbitals - n;
  return n * u + 0.25 * n * (n - 1.0) * u * (u - 1.0);
}

/// Strings of as many electrons, of all irreps, listed or not.
double number_of_strings(const StringSpace& space);

/// A part of the target strings: those whose hash leaves `part` when divided by `parts`.
struct TargetPart {
  std::uint64_t part = 0, parts = 1;
};

/// Alpha strings that the Hamiltonian leads to from those of a list, the list's own too, by up to
/// two electrons, and for each the ways there. Links that no element can have (integrals that are
/// exactly zero) are left out. Bytes: 12 a link and 20 a target; while it is made 64 a link.
class TargetStrings {
 public:
  TargetStrings(const Integrals& integrals, const StringSpace& of_list, TargetPart part);

  std::int64_t size() const { return static_cast<std::int64_t>(targets_.size()); }
  const OrbitalString& target(std::int64_t i) const { return targets_[i]; }
  std::span<const TargetLink> links(std::int64_t i) const {
    return {links_.data() + begin_[i], links_.data() + begin_[i + 1]};
  }

  /// At most so many links there are in all parts.
  static double most_links(const StringSpace& of_list);

 private:
  std::vector<OrbitalString> targets_;
  std::vector<std::int64_t> begin_;
  std::vector<TargetLink> links_;
};

}  // namespace cisolve
