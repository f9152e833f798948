#pragma once

#include <span>

#include "core/array.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Distribution of a packed matrix's slices over the blocks of a GPU: in batches of
/// neighbouring slices, of which a block that is through with one takes the next that nobody has.
/// First slices of the batches, and the number of slices.
///
/// work_before[s] is the work of slices 0 … s − 1, in groups; slices + 1 of them. A block has so
/// many teams of threads; where its batch has fewer slices than that, several teams share one.
///
/// A batch is 2^m slices. Their work, did each take as long as the longest, is at most 6/5 of what
/// it is: rows are sorted within windows, so that the few long ones of a window, as the double
/// excitations among triple ones, make slices several times as long as the next. It is also at most
/// 72 groups a team, and at most a block's part of the work that is left (guided self-scheduling,
/// Polychronopoulos and Kuck, IEEE Trans. Comput. C-36, 1425, 1987): the last batches, which some
/// blocks wait for, are small. But 16 groups a team, or a quarter of a block's part of all the work
/// where that is less, are worth a batch: to begin one takes several loads, each of which waits for
/// the one before. And a single slice may be more than all that.
Array<Index> batches_of_slices(std::span<const Offset> work_before, int teams, int blocks);

}  // namespace cisolve
