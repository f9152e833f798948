#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// A determinant of one alpha string: its beta string, and its number in the space.
struct AlphaMember {
  Index beta;
  std::int64_t row;
};

/// Rows [first, last) of one alpha string.
struct RowBlock {
  Index alpha_string, first, last;
};

/// Determinants |αβ⟩, numbered by alpha string, then beta string, these by their numbers in `alpha`
/// and `beta`. S², densities and weights are made over any such space, by asking which of its
/// determinants are neighbours; how it finds them is its own matter.
///
/// determinants_of(a), those of alpha string a, ascending, are a range of AlphaMember, and know
///   find(b)                the number of (a, b), −1 where it is not in the space;
///   at(row)                where the range has that number.
template <class S>
concept DeterminantSpace = requires(const S& space, Index a, std::int64_t row) {
  { space.alpha } -> std::convertible_to<const StringSpace&>;
  { space.beta } -> std::convertible_to<const StringSpace&>;
  { space.size() } -> std::same_as<std::int64_t>;
  { space.alpha_of(row) } -> std::same_as<Index>;
  { *space.determinants_of(a).begin() } -> std::same_as<AlphaMember>;
  { *space.determinants_of(a).at(row) } -> std::same_as<AlphaMember>;
  { space.determinants_of(a).find(a) } -> std::same_as<std::int64_t>;
};

}  // namespace cisolve
