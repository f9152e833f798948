#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <parallel/algorithm>
#include <ranges>

#include "core/threads/parallel.hpp"

namespace cisolve {

/// Sorts a range of plain values, among threads where it is long (libstdc++'s parallel mode: a
/// merge sort, which takes a copy of the range). Equal values being alike, the result is the same
/// with any number of threads. Throws std::bad_alloc where there is no room for the copy.
template <std::ranges::random_access_range Range, class Less = std::less<>>
void parallel_sort(Range& range, Less less = {}) {
  if (worth_threads(10.0 * static_cast<double>(std::ranges::size(range)))) {
    // Its threads allocate the copy, out of which no exception may come.
    using Value = std::ranges::range_value_t<Range>;
    std::make_unique_for_overwrite<Value[]>(std::ranges::size(range));
    __gnu_parallel::sort(std::ranges::begin(range), std::ranges::end(range), less);
  } else {
    std::sort(std::ranges::begin(range), std::ranges::end(range), less);
  }
}

}  // namespace cisolve
