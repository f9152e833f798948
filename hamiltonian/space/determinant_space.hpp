#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "hamiltonian/space/string_space.hpp"

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
/// and `beta`. Matrices, S², densities and weights are made over any such space, by asking which of
/// its determinants are neighbours; how it finds them is its own matter.
///
/// determinants_of(a), those of alpha string a, ascending, are a range of AlphaMember, and know
///   find(b)                the number of (a, b), −1 where it is not in the space;
///   at(row)                where the range has that number;
///   select(list, key, f)   of a list that ascends by beta string, key(entry), all that make
///                          determinants with a: f(entry, number);
///   for_each_common(x, y, f)   of two alpha strings' determinants those with the same beta string:
///                          f(row, other row, n), n beta strings one after another at a time.
/// row_blocks(most) cuts all rows into blocks of at most so many.
/// BetaLists(space, list_of) are lists of entries that lead from beta string b to others, their
/// `target`, by which list_of(b) ascends:
///   for_each_part(a, b, by_entries, f)   f(part) of parts of determinants_of(a), ascending, unless
///                          no row of the block of (a', b) reaches them, through entries of its
///                          list (by_entries) or because b itself is in;
///   visit(part, b, list, f, own)   f(entry, number) of the entries of b's list that make
///                          determinants of the part, and among them, where b itself is in it,
///                          own(number): numbers ascend;
///   visit_own(part, b, own)   the latter alone.
template <class S>
concept DeterminantSpace = requires(const S& space, Index a, std::int64_t row) {
  typename S::BetaLists;
  { space.alpha } -> std::convertible_to<const StringSpace&>;
  { space.beta } -> std::convertible_to<const StringSpace&>;
  { space.size() } -> std::same_as<std::int64_t>;
  { space.alpha_of(row) } -> std::same_as<Index>;
  { space.row_blocks(a) } -> std::same_as<std::vector<RowBlock>>;
  { *space.determinants_of(a).begin() } -> std::same_as<AlphaMember>;
  { *space.determinants_of(a).at(row) } -> std::same_as<AlphaMember>;
  { space.determinants_of(a).find(a) } -> std::same_as<std::int64_t>;
};

}  // namespace cisolve
