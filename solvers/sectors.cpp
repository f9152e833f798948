#include "solvers/sectors.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "solvers/forest.hpp"

namespace cisolve {
namespace {

void unite(const Pattern& pattern, Forest& forest) {
  const auto rows = static_cast<Index>(pattern.row_offsets.size() - 1);
#pragma omp parallel for if (worth_threads(pattern.column_indices.size())) schedule(dynamic, 1024)
  for (Index i = 0; i < rows; ++i) {
    for (Offset e = pattern.row_offsets[i]; e < pattern.row_offsets[i + 1]; ++e) {
      forest.unite(i, pattern.column_indices[e]);
    }
  }
}

}  // namespace

Sectors connected_sectors(std::initializer_list<Pattern> patterns) {
  const auto rows = static_cast<Index>(patterns.begin()->row_offsets.size() - 1);
  Forest forest(rows);
  for (const Pattern& pattern : patterns) unite(pattern, forest);
  return sectors_of_roots(forest.roots());
}

Sectors sectors_of_roots(std::span<const Index> roots) {
  Sectors result;
  result.labels.resize(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    // A root, the lowest row of its sector, has its number before the others ask for it.
    const auto root = static_cast<std::size_t>(roots[i]);
    if (root == i) {
      result.labels[i] = static_cast<Index>(result.sizes.size());
      result.sizes.push_back(0);
    } else {
      result.labels[i] = result.labels[root];
    }
    ++result.sizes[result.labels[i]];
  }
  return result;
}

SectorOrder order_by_sector(const Sectors& sectors, Index rows, int most) {
  SectorOrder result;
  if (sectors.sizes.size() <= 1) {
    result.begin = {0, rows};
    return result;
  }
  const auto count = static_cast<Index>(sectors.sizes.size());
  std::vector<Index> group(count);
  std::iota(group.begin(), group.end(), 0);
  if (count > most) {
    std::vector<Index> by_size = group;
    std::ranges::stable_sort(by_size,
                             [&](Index s, Index t) { return sectors.sizes[s] > sectors.sizes[t]; });
    std::ranges::fill(group, most - 1);
    std::sort(by_size.begin(), by_size.begin() + most - 1);
    for (int g = 0; g < most - 1; ++g) group[by_size[g]] = g;
  }
  result.begin.assign(std::min<Index>(count, most) + 1, 0);
  result.group_of_row.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    result.group_of_row[i] = group[sectors.labels[i]];
    ++result.begin[result.group_of_row[i] + 1];
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  std::vector<Index> next = result.begin;
  result.order.resize(rows);
  for (Index i = 0; i < rows; ++i) result.order[next[result.group_of_row[i]]++] = i;
  return result;
}

}  // namespace cisolve
