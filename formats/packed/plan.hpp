#pragma once

#include <functional>

#include "core/array.hpp"
#include "core/error.hpp"
#include "formats/packed/packed.hpp"

// Parts of a plan of a packed matrix, wherever its groups are counted.

namespace cisolve {

/// Rows that are sorted by length among themselves; slices do not cross their ends.
inline constexpr Index packed_window = 1024;

inline bool is_coded(Packing packing) {
  return packing == Packing::coded_near || packing == Packing::coded_far;
}

/// A plan in which nothing is counted yet, but for `none`, where there is nothing to count. The
/// offsets of slices and of the expansion, element 0 left out, are to become the coded and the
/// plain groups of every slice and the entries of every row in no group; then `sum_counts` is due.
PackedMatrix uncounted_plan(const Array<Offset>& row_offsets, Index columns, Packing packing,
                            const Array<double>& dictionary, int components = 1);
void sum_counts(PackedMatrix& plan);

/// The plan of fewest bytes among those that `plan` makes; packings that cannot be it are not asked
/// for.
PackedMatrix plan_of_fewest_bytes(Index rows, Offset nonzeros,
                                  const std::function<PackedMatrix(Packing)>& plan);

/// Error for the element in row i and column j, counted from 0.
InputError not_a_number(Index i, Index j);

}  // namespace cisolve
