#include "app/states/leading.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/threads/parallel.hpp"

namespace cisolve {
namespace {

/// The magnitude that `count` ≥ 1 of the numbers reach; 0 where there are no more.
double least_of_largest(std::span<const double> x, int count) {
  if (std::ssize(x) <= count) return 0.0;
  const int shares = worth_threads(x.size()) ? omp_get_max_threads() : 1;
  const auto begin = [&](int share) { return x.size() * share / shares; };
  std::vector<std::vector<double>> found(shares);  // heaps, the least in front
  for (std::vector<double>& largest : found) largest.reserve(count);
  for_each_index(shares, shares > 1, [&](int s) {
    std::vector<double>& largest = found[s];
    for (const double value : x.subspan(begin(s), begin(s + 1) - begin(s))) {
      const double magnitude = std::abs(value);
      if (std::ssize(largest) == count) {
        if (!(magnitude > largest.front())) continue;
        std::ranges::pop_heap(largest, std::ranges::greater());
        largest.pop_back();
      }
      largest.push_back(magnitude);
      std::ranges::push_heap(largest, std::ranges::greater());
    }
  });
  std::vector<double> all;
  for (const std::vector<double>& largest : found) {
    all.insert(all.end(), largest.begin(), largest.end());
  }
  std::ranges::nth_element(all, all.begin() + (count - 1), std::ranges::greater());
  return all[count - 1];
}

/// The largest `count` at most, in descending order, equal ones by row.
std::vector<PlacedCoefficient> largest_first(std::vector<PlacedCoefficient> rows, int count) {
  const auto magnitude = [](const PlacedCoefficient& c) { return std::abs(c.value); };
  if (count <= 0) return {};
  if (std::ssize(rows) > count) {  // those that may be among them
    const auto last = rows.begin() + (count - 1);
    std::ranges::nth_element(rows, last, std::ranges::greater(), magnitude);
    const double least = magnitude(*last) * (1.0 - equal_coefficients);
    std::erase_if(rows, [&](const PlacedCoefficient& c) { return magnitude(c) < least; });
  }
  std::ranges::sort(rows, std::ranges::greater(), magnitude);
  for (auto first = rows.begin(); first != rows.end();) {
    const double least = magnitude(*first) * (1.0 - equal_coefficients);
    const auto last =
        std::find_if(first, rows.end(), [&](const auto& c) { return magnitude(c) < least; });
    std::ranges::sort(first, last, {}, &PlacedCoefficient::place);
    first = last;
  }
  rows.resize(std::min<std::size_t>(rows.size(), count));
  return rows;
}

/// Texts follow when it is settled which rows there are.
std::vector<LeadingRow> with_texts(const std::vector<PlacedCoefficient>& rows) {
  std::vector<LeadingRow> made;
  for (const PlacedCoefficient& c : rows) made.push_back({.row = c.place, .coefficient = c.value});
  return made;
}

}  // namespace

double leading_coefficient(const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& x) {
  double largest = 0.0;
#pragma omp parallel for if (worth_threads(x.size())) schedule(static) reduction(max : largest)
  for (Eigen::Index i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i]));
  const double least = (1.0 - equal_coefficients) * largest;
  const auto found =
      std::find_if(x.begin(), x.end(), [=](double c) { return std::abs(c) >= least; });
  return found != x.end() ? *found : 0.0;
}

std::vector<LeadingRow> leading_rows(const HostVector& x, int count) {
  if (count <= 0) return {};
  const std::span<const double> all(x.data(), x.size());
  // Just below: larger_than leaves out what is equal.
  const double least =
      std::nextafter(least_of_largest(all, count) * (1.0 - equal_coefficients), 0.0);
  return with_texts(largest_first(larger_than(all, std::max(least, smallest_leading)), count));
}

std::vector<LeadingRow> leading_determinants(const DirectLayout& layout,
                                             const std::vector<PlacedCoefficient>& large,
                                             int count) {
  std::vector<PlacedCoefficient> determinants;
  for (const auto& [place, value] : large) {
    const auto row = std::ranges::upper_bound(layout.row_begin, place) - layout.row_begin.begin();
    const auto a = static_cast<Index>(row - 1);
    const StringRange betas = layout.betas(layout.alpha_strings.irrep_of[a]);
    const auto b = static_cast<Index>(betas.first + (place - layout.row_begin[a]));
    determinants.push_back({layout.row_in_space(a) + layout.beta_strings.number[b], value});
  }
  std::vector<LeadingRow> found = with_texts(largest_first(std::move(determinants), count));
  if (!found.empty() && found[0].coefficient < 0.0) {
    for (LeadingRow& row : found) row.coefficient = -row.coefficient;
  }
  return found;
}

}  // namespace cisolve
