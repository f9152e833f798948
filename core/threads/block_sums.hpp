#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/threads/parallel.hpp"

namespace cisolve {

/// The sums of `count` numbers over items 0 … items − 1, in parallel, the same to the bit for any
/// number of threads: the items go in blocks that depend on nothing but their number, and the
/// blocks' sums are added up in order. `add(item, sums)` adds an item's numbers to `sums`; it may
/// not throw. `work`: of all items, see worth_threads.
template <class Number, class Add>
std::vector<double> block_sums(std::int64_t items, std::size_t count, Number work, Add add) {
  constexpr std::int64_t most_blocks = 1024;
  const std::int64_t blocks = std::min(items, most_blocks);
  std::vector<double> sums(static_cast<std::size_t>(blocks) * count);
#pragma omp parallel for if (worth_threads(work)) schedule(dynamic, 1)
  for (std::int64_t b = 0; b < blocks; ++b) {
    for (std::int64_t i = items * b / blocks; i < items * (b + 1) / blocks; ++i) {
      add(i, sums.data() + static_cast<std::size_t>(b) * count);
    }
  }
  std::vector<double> total(count, 0.0);
  for (std::size_t s = 0; s < sums.size(); ++s) total[s % count] += sums[s];
  return total;
}

}  // namespace cisolve
