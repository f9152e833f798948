#include "solvers/p_space.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve {

std::vector<Index> lowest_diagonal_rows(std::span<const double> diagonal, int size) {
  constexpr double degenerate = 1e-8;
  std::vector<Index> order(diagonal.size());
  std::iota(order.begin(), order.end(), 0);
  const auto lower = [&](Index i, Index j) {
    return diagonal[i] != diagonal[j] ? diagonal[i] < diagonal[j] : i < j;
  };
  // Twice the size, sorted, so that the shell of the last row can be followed.
  const std::size_t wanted = std::min<std::size_t>(std::max(size, 1), order.size());
  const std::size_t candidates = std::min(2 * wanted, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates),
                    order.end(), lower);
  std::size_t count = wanted;
  while (count < candidates && diagonal[order[count]] - diagonal[order[wanted - 1]] <= degenerate) {
    ++count;
  }
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

}  // namespace cisolve
