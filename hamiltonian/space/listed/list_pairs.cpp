#include "hamiltonian/space/listed/list_pairs.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

namespace cisolve {

ListPairs::ListPairs(const ListedSpace& space)
    : space_(space),
      one_{Remainders(space.alpha, 1), Remainders(space.beta, 1)},
      two_{Remainders(space.alpha, 2), Remainders(space.beta, 2)},
      alpha_of_(static_cast<std::size_t>(space.size())) {
  ByString &of_alpha = by_string_[alpha], &of_beta = by_string_[beta];
  of_alpha.rows = Array<ListedRow>(static_cast<std::size_t>(space.size()));
  of_beta.rows = Array<ListedRow>(static_cast<std::size_t>(space.size()));
  of_beta.begin.assign(static_cast<std::size_t>(space.beta.size()) + 1, 0);
  of_alpha.begin.push_back(0);
  for (Index a = 0; a < space.alpha.size(); ++a) {
    for (const auto& [b, row] : space.determinants_of(a)) {
      of_alpha.rows[row] = {b, static_cast<Index>(row)};
      alpha_of_[row] = a;
      ++of_beta.begin[b + 1];
    }
    of_alpha.begin.push_back(of_alpha.begin.back() +
                             static_cast<Index>(space.determinants_of(a).size()));
  }
  for (Index b = 0; b < space.beta.size(); ++b) of_beta.begin[b + 1] += of_beta.begin[b];
  std::vector<Index> next(of_beta.begin.begin(), of_beta.begin.end() - 1);
  for (Index row = 0; row < static_cast<Index>(space.size()); ++row) {
    of_beta.rows[next[of_alpha.rows[row].other]++] = {alpha_of_[row], row};
  }
  make_units();
}

void ListPairs::make_units() {
  // A unit has about so many entries: enough to balance what threads do. Every part goes through
  // all entries of its remainder or string, so there are few of these.
  constexpr double most_entries = 1 << 16, most_parts = 16.0;
  const auto add = [&](Kind kind, Index number, double entries) {
    if (entries == 0.0) return;
    const auto parts =
        static_cast<std::uint16_t>(std::min(most_parts, std::ceil(entries / most_entries)));
    for (std::uint16_t part = 0; part < parts; ++part) {
      units_.push_back({kind, part, parts, number, entries / parts});
    }
  };
  const int na = space_.alpha.electrons, nb = space_.beta.electrons;
  for (Index hole = 0; hole < one_[alpha].size(); ++hole) {
    if (one_[alpha].members(hole).size() == 1) continue;
    double rows = 0.0;
    for (const auto& [a, taken] : one_[alpha].members(hole)) rows += std::ssize(rows_of(alpha, a));
    add(Kind::mixed, hole, rows * nb);
  }
  for (const Spin spin : {alpha, beta}) {
    const int n = spin == alpha ? na : nb;
    const Spin other = spin == alpha ? beta : alpha;
    const Index strings = (spin == alpha ? space_.beta : space_.alpha).size();
    for (Index string = 0; string < strings; ++string) {
      const auto rows = static_cast<double>(rows_of(other, string).size());
      if (rows > 1.0)
        add(spin == alpha ? Kind::of_alpha : Kind::of_beta, string, rows * n * (n + 1) / 2);
    }
  }
  std::ranges::stable_sort(units_, std::ranges::greater(), &Unit::work);
}

double ListPairs::bytes_for(const ListedSpace& space) {
  constexpr double of_remainder = 80.0;  // and of the sort that numbers them
  double bytes = 20.0 * static_cast<double>(space.size()), most = 0.0;
  for (const StringSpace* s : {&space.alpha, &space.beta}) {
    const double remainders = 0.5 * s->electrons * (s->electrons + 1.0) * s->size();
    bytes += of_remainder * remainders;
    most = std::max(most, remainders);
  }
  return bytes + sizeof(Index) * most * omp_get_max_threads();
}

std::size_t ListPairs::bytes() const {
  std::size_t bytes = alpha_of_.size() * sizeof(Index) + units_.size() * sizeof(Unit);
  for (const Spin spin : {alpha, beta}) {
    bytes += one_[spin].bytes() + two_[spin].bytes() +
             by_string_[spin].begin.size() * sizeof(Index) +
             by_string_[spin].rows.size() * sizeof(ListedRow);
  }
  return bytes;
}

}  // namespace cisolve
