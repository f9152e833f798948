#include "solvers/p_space.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

constexpr int chosen_size = 1500;
constexpr int smallest_chosen_size = 50;
constexpr int arbitrary_size = 10;  // where rows are as good as others

/// Seconds to diagonalise A_PP of n rows on one core, as dsyevd was measured from 30 to 500 rows;
/// over K of d components half of those of its real form, which zheevd takes.
double diagonalisation_seconds(double n, int d) {
  const double rows = d * n;
  return rows * rows * (3.3e-8 + 1e-10 * rows) / (d > 1 ? 2.0 : 1.0);
}

/// Seconds to diagonalise A_PP sector by sector.
double diagonalisation_seconds(std::span<const Index> rows, const Sectors& sectors, int d) {
  std::map<Index, double> members;
  for (const Index row : rows) members[sectors.of(row)] += 1.0;
  double seconds = 0.0;
  for (const auto& [sector, count] : members) seconds += diagonalisation_seconds(count, d);
  return seconds;
}

/// Seconds that diagonalising A_PP may take: a fraction of a product and its vector operations for
/// each state, because three times as many rows in P save half a product at best. A small time is
/// always allowed.
double allowed_seconds(std::size_t rows, Offset nonzeros, int states, BackendKind backend) {
  const bool cpu = backend == BackendKind::cpu;
  const double always = cpu ? 1.5e-4 : 1e-3;
  const double of_number = cpu ? 1e-10 : 5e-13;  // a few cores; packed on an H200
  const double numbers = static_cast<double>(nonzeros) + 50.0 * static_cast<double>(rows);
  return std::max(always, of_number * states * numbers);
}

/// The rows of a P that many sectors share evenly, up to `chosen_size` real ones, diagonalised in
/// `seconds`.
int rows_within(double seconds, double sectors, int d) {
  int rows = 1;
  while (rows < chosen_size / d && sectors * diagonalisation_seconds(rows / sectors, d) < seconds) {
    ++rows;
  }
  return rows;
}

/// A diagonal element and its row: ordered by value, equal ones by row.
using Element = std::pair<double, Index>;

/// The `count` lowest of them, the highest of those last; all where there are no more.
void keep_lowest(std::vector<Element>& elements, std::size_t count) {
  if (elements.size() <= count) return;
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(elements.begin(), end - 1, elements.end());
  elements.erase(end, elements.end());
}

/// The `count` ≥ 1 lowest elements of rows [first, last), in no order. O(rows), as what is at hand
/// is cut down to `count` only when it has become twice as many.
std::vector<Element> lowest_elements(std::span<const double> diagonal, Index first, Index last,
                                     std::size_t count) {
  std::vector<Element> lowest;
  lowest.reserve(std::min(2 * count, static_cast<std::size_t>(last - first)));
  double limit = std::numeric_limits<double>::infinity();  // `count` earlier rows are no higher
  for (Index i = first; i < last; ++i) {
    if (lowest.size() >= count && !(diagonal[i] < limit)) continue;
    lowest.emplace_back(diagonal[i], i);
    if (lowest.size() < 2 * count) continue;
    keep_lowest(lowest, count);
    limit = lowest.back().first;
  }
  keep_lowest(lowest, count);
  return lowest;
}

/// The lowest of all rows, ascending: every thread finds the lowest of its share.
std::vector<Element> lowest_elements(std::span<const double> diagonal, std::size_t count) {
  const auto rows = static_cast<Index>(diagonal.size());
  const int shares = worth_threads(rows) ? omp_get_max_threads() : 1;
  const auto begin = [&](int share) { return static_cast<Index>(Offset{rows} * share / shares); };
  std::vector<std::vector<Element>> found(shares);
  FirstException exception;
#pragma omp parallel for if (shares > 1) schedule(static, 1)
  for (int s = 0; s < shares; ++s) {
    exception.guard([&] { found[s] = lowest_elements(diagonal, begin(s), begin(s + 1), count); });
  }
  exception.rethrow();
  std::vector<Element> lowest = std::move(found.front());
  for (int s = 1; s < shares; ++s) lowest.insert(lowest.end(), found[s].begin(), found[s].end());
  keep_lowest(lowest, count);
  std::ranges::sort(lowest);
  return lowest;
}

/// Diagonal elements that differ by no more count as one: 1e-9 of their typical distance from the
/// lowest, which a sample tells, or what rounding makes of equal ones.
double shell_width(std::span<const double> diagonal) {
  constexpr double part = 1e-9, rounding = 64.0 * std::numeric_limits<double>::epsilon();
  constexpr std::size_t most = 10'000;
  const std::size_t stride = 1 + diagonal.size() / most;
  std::vector<double> sample;
  for (std::size_t i = 0; i < diagonal.size(); i += stride) sample.push_back(diagonal[i]);
  if (sample.empty()) return 0.0;
  const double lowest = std::ranges::min(sample);
  const auto middle = sample.begin() + std::ssize(sample) / 2;
  std::ranges::nth_element(sample, middle);
  return std::max(part * (*middle - lowest),
                  rounding * std::max(std::abs(lowest), std::abs(*middle)));
}

/// The rows without the last shell, where some of that are missing: they would have been as good.
std::vector<Index> in_whole_shells(std::vector<Index> rows, std::span<const double> diagonal) {
  const double width = shell_width(diagonal);
  double highest = -std::numeric_limits<double>::infinity();
  for (const Index row : rows) highest = std::max(highest, diagonal[row]);
  std::ptrdiff_t within = 0;
#pragma omp parallel for if (worth_threads(diagonal.size())) schedule(static) reduction(+ : within)
  for (std::size_t i = 0; i < diagonal.size(); ++i) within += diagonal[i] <= highest + width;
  if (std::ssize(rows) == within) return rows;
  std::erase_if(rows, [&](Index row) { return diagonal[row] >= highest - width; });
  return rows;
}

}  // namespace

std::vector<Index> lowest_diagonal_rows(std::span<const double> diagonal, int size) {
  // Twice the size, sorted, so that the shell of the last row can be followed.
  const std::size_t wanted = std::min<std::size_t>(std::max(size, 1), diagonal.size());
  if (wanted == 0) return {};
  const std::vector<Element> lowest =
      lowest_elements(diagonal, std::min(2 * wanted, diagonal.size()));
  const double width = shell_width(diagonal);
  std::size_t count = wanted;
  while (count < lowest.size() && lowest[count].first - lowest[wanted - 1].first <= width) {
    ++count;
  }
  std::vector<Index> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = lowest[i].second;
  std::ranges::sort(rows);
  return rows;
}

std::vector<Index> p_space_rows(std::span<const double> diagonal, const Sectors& sectors,
                                Offset nonzeros, int states, int size, BackendKind backend,
                                int components) {
  if (size > 0) return lowest_diagonal_rows(diagonal, size);
  const double allowed = allowed_seconds(diagonal.size(), nonzeros, states, backend);
  // The time is for sectors that share the rows evenly; other shares take longer and are shrunk
  // below.
  const double count = std::max<double>(static_cast<double>(sectors.sizes.size()), 1.0);
  std::vector<Index> rows = lowest_diagonal_rows(diagonal, rows_within(allowed, count, components));
  const double seconds = diagonalisation_seconds(rows, sectors, components);
  if (seconds > allowed) {
    const double shrunk = static_cast<double>(rows.size()) * std::sqrt(allowed / seconds);
    rows = lowest_diagonal_rows(diagonal, std::max(smallest_chosen_size, static_cast<int>(shrunk)));
  }
  rows = in_whole_shells(std::move(rows), diagonal);
  return rows.empty() ? lowest_diagonal_rows(diagonal, arbitrary_size) : rows;
}

Index largest_p_space(int size, Index rows, int components) {
  return std::min<Index>(size > 0 ? size : chosen_size / components, rows);
}

}  // namespace cisolve
