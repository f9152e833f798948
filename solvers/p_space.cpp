#include "solvers/p_space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace cisolve {
namespace {

constexpr int chosen_size = 1500;
constexpr int smallest_chosen_size = 100;

/// Seconds to diagonalise A_PP sector by sector, as measured with dsyevd on one core.
double diagonalisation_seconds(std::span<const Index> rows, const Sectors& sectors) {
  constexpr double seconds_per_cube = 2.5e-10;
  std::map<Index, double> members;
  for (const Index row : rows) members[sectors.labels.empty() ? 0 : sectors.labels[row]] += 1.0;
  double seconds = 0.0;
  for (const auto& [sector, count] : members) seconds += seconds_per_cube * std::pow(count, 3);
  return seconds;
}

/// Seconds that diagonalising A_PP may take: those of the products to be expected of a solve, and
/// some always.
double allowed_seconds(Offset nonzeros, int states, BackendKind backend) {
  const bool cpu = backend == BackendKind::cpu;
  const double always = cpu ? 0.25 : 0.05;
  const double of_nonzero = cpu ? 1e-9 : 2e-12;  // a few cores; packed on an H200
  constexpr double products_per_state = 10.0;
  return std::max(always, of_nonzero * products_per_state * states * static_cast<double>(nonzeros));
}

}  // namespace

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

std::vector<Index> p_space_rows(std::span<const double> diagonal, const Sectors& sectors,
                                Offset nonzeros, int states, int size, BackendKind backend) {
  std::vector<Index> rows = lowest_diagonal_rows(diagonal, size > 0 ? size : chosen_size);
  if (size > 0) return rows;
  const double allowed = allowed_seconds(nonzeros, states, backend);
  const double seconds = diagonalisation_seconds(rows, sectors);
  if (seconds <= allowed) return rows;
  const double shrunk = chosen_size * std::cbrt(allowed / seconds);
  return lowest_diagonal_rows(diagonal, std::max(smallest_chosen_size, static_cast<int>(shrunk)));
}

Index largest_p_space(int size, Index rows) {
  return std::min<Index>(size > 0 ? size : chosen_size, rows);
}

}  // namespace cisolve
