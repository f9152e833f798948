#include "solvers/sectors.hpp"

#include <omp.h>

#include <numeric>
#include <utility>

#include "core/forest.hpp"
#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

void unite(const Pattern& pattern, Forest& forest) {
  const auto rows = static_cast<Index>(pattern.row_offsets.size() - 1);
#pragma omp parallel for if (worth_threads(pattern.column_indices.size())) schedule(dynamic, 1024)
  for (Index i = 0; i < rows; ++i) {
    if (forest.whole()) continue;
    for (Offset e = pattern.row_offsets[i]; e < pattern.row_offsets[i + 1]; ++e) {
      forest.unite(i, pattern.column_indices[e]);
    }
  }
}

/// The group of each sector: its own, or the last one for the smallest beyond `most`.
std::vector<Index> groups_of_sectors(const std::vector<Index>& sizes, int most) {
  const auto count = static_cast<Index>(sizes.size());
  std::vector<Index> group(count);
  std::iota(group.begin(), group.end(), 0);
  if (count <= most) return group;
  std::vector<Index> by_size = group;
  std::ranges::stable_sort(by_size, [&](Index s, Index t) { return sizes[s] > sizes[t]; });
  std::ranges::fill(group, most - 1);
  std::sort(by_size.begin(), by_size.begin() + most - 1);
  for (int g = 0; g < most - 1; ++g) group[by_size[g]] = g;
  return group;
}

/// For every group the sum over its sectors.
std::vector<Index> dimensions_of_groups(const Sectors& sectors, int most) {
  if (sectors.dimensions.empty()) return {};
  const auto count = static_cast<int>(sectors.dimensions.size());
  std::vector<Index> sums(std::min(count, most), 0);
  const std::vector<Index> group = groups_of_sectors(sectors.sizes, most);
  for (int s = 0; s < count; ++s) sums[count == 1 ? 0 : group[s]] += sectors.dimensions[s];
  return sums;
}

/// The labels of sectors whose rows lie one behind another.
std::vector<Index> labels_of_sizes(const std::vector<Index>& sizes) {
  std::vector<Index> labels;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    labels.insert(labels.end(), sizes[s], static_cast<Index>(s));
  }
  return labels;
}

/// A counting sort of the rows by group, each thread's share of the rows one behind another.
SectorOrder sorted_rows(const std::vector<Index>& labels, const std::vector<Index>& group,
                        int groups) {
  const auto rows = static_cast<Index>(labels.size());
  const int shares = worth_threads(rows) ? omp_get_max_threads() : 1;
  const auto begin = [&](int share) { return static_cast<Index>(Offset{rows} * share / shares); };
  // For every share and group the number of its rows, then the place of the next of them.
  std::vector<std::vector<Index>> next(shares, std::vector<Index>(groups, 0));
#pragma omp parallel for if (shares > 1) schedule(static, 1)
  for (int s = 0; s < shares; ++s) {
    Index* const count = next[s].data();
    for (Index i = begin(s), end = begin(s + 1); i < end; ++i) ++count[group[labels[i]]];
  }
  SectorOrder result;
  Index place = 0;
  for (int g = 0; g < groups; ++g) {
    result.begin.push_back(place);
    for (std::vector<Index>& share : next) place += std::exchange(share[g], place);
  }
  result.begin.push_back(place);
  result.order.resize(rows);
#pragma omp parallel for if (shares > 1) schedule(static, 1)
  for (int s = 0; s < shares; ++s) {
    Index *const at = next[s].data(), *const order = result.order.data();
    for (Index i = begin(s), end = begin(s + 1); i < end; ++i) order[at[group[labels[i]]]++] = i;
  }
  return result;
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

Sectors labels_of_rows(const Sectors& all, Index first, Index rows) {
  Sectors part{{}, all.sizes, {}, all.dimensions};
  if (all.sizes.size() <= 1) return part;
  if (!all.labels.empty()) {
    part.labels.assign(all.labels.begin() + first, all.labels.begin() + first + rows);
    return part;
  }
  for (std::size_t p = 0; p + 1 < all.pieces.size(); ++p) {
    const Index end = std::clamp(all.pieces[p + 1], first, first + rows);
    part.labels.resize(end - first, static_cast<Index>(p % all.sizes.size()));
  }
  if (!all.pieces.empty()) return part;
  Index begin = 0;  // of a sector
  for (std::size_t s = 0; s < all.sizes.size(); begin += all.sizes[s++]) {
    const Index own = std::clamp(begin + all.sizes[s], first, first + rows);
    part.labels.resize(own - first, static_cast<Index>(s));
  }
  return part;
}

Index SectorOrder::place_of(Index row) const {
  if (order.empty()) return row;
  for (int g = 0; g < groups(); ++g) {
    const auto end = order.begin() + begin[g + 1];
    const auto found = std::lower_bound(order.begin() + begin[g], end, row);
    if (found != end && *found == row) return static_cast<Index>(found - order.begin());
  }
  return -1;  // no row
}

int SectorOrder::group_of_place(Index place) const {
  return static_cast<int>(std::ranges::upper_bound(begin, place) - begin.begin()) - 1;
}

namespace {

SectorOrder order_of_rows(const Sectors& sectors, Index rows, int most) {
  const std::vector<Index>&labels = sectors.labels, &sizes = sectors.sizes;
  const auto count = static_cast<int>(sizes.size());
  if (count <= 1) return {{}, {0, rows}};
  if (rows == 0) return {{}, std::vector<Index>(std::min(count, most) + 1, 0)};
  if (labels.empty() && count <= most) {
    SectorOrder result{{}, {0}};
    for (const Index size : sizes) result.begin.push_back(result.begin.back() + size);
    return result;
  }
  SectorOrder result = sorted_rows(labels.empty() ? labels_of_sizes(sizes) : labels,
                                   groups_of_sectors(sizes, most), std::min(count, most));
  if (std::ranges::is_sorted(result.order)) result.order = {};
  return result;
}

}  // namespace

SectorOrder order_by_sector(const Sectors& sectors, Index rows, int most) {
  SectorOrder order = order_of_rows(sectors, rows, most);
  order.dimensions = dimensions_of_groups(sectors, most);
  return order;
}

}  // namespace cisolve
