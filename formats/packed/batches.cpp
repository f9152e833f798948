#include "formats/packed/batches.hpp"

#include <algorithm>

namespace cisolve {

Array<Index> batches_of_slices(std::span<const Offset> work_before, int teams, int blocks) {
  const auto slices = static_cast<Index>(work_before.size()) - 1;
  const auto work = [&](Index first, Index end) { return work_before[end] - work_before[first]; };
  const Offset most = Offset{72} * teams;
  const Offset least =
      std::clamp(work(0, slices) / (4 * Offset{blocks}), Offset{teams}, Offset{16} * teams);
  Array<Index> first_slices{0};
  for (Index first = 0; first < slices;) {
    const Offset limit = std::clamp(work(first, slices) / blocks, least, most);
    Offset longest = work(first, first + 1);
    Index count = 1;
    for (; 2 * count <= slices - first; count *= 2) {
      for (Index s = first + count; s < first + 2 * count; ++s) {
        longest = std::max(longest, work(s, s + 1));
      }
      const Offset taken = 2 * count * longest;
      if (taken > limit || 5 * taken > 6 * work(first, first + 2 * count)) break;
    }
    first += count;
    first_slices.push_back(first);
  }
  return first_slices;
}

}  // namespace cisolve
