#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "hamiltonian/space/listed/listed_space.hpp"
#include "hamiltonian/space/strings/remainders.hpp"

namespace cisolve {

/// A determinant of a list by a string that it has.
struct ListedRow {
  Index other;  ///< its string of the other spin
  Index row;
};

/// Pairs of a list's determinants that differ by one or two electrons, each found once: those of
/// two excitations of different spin have a remainder of each of their strings in common, those of
/// one spin have the other's string and a remainder of one or two electrons less. Determinants are
/// grouped by these, so that work follows entries and pairs, never the square of a list.
///
/// The work is cut into units, which threads may take in any order. The space must outlive it.
class ListPairs {
 public:
  explicit ListPairs(const ListedSpace& space);

  /// Pairs of which excitations a unit has.
  enum class Kind : std::uint8_t { mixed, of_alpha, of_beta };
  /// A unit: pairs with that remainder of alpha strings (mixed), or with that string of the other
  /// spin; of its groups every `parts`-th.
  struct Unit {
    Kind kind;
    std::uint16_t part, parts;
    Index number;
    double work;  ///< entries to be grouped
  };
  /// The largest first.
  const std::vector<Unit>& units() const { return units_; }

  /// A determinant of a group, and what its string of each spin has beside the remainder.
  struct Mixed {
    Index row;
    std::uint8_t alpha, beta, odd;
  };
  struct OfSpin {
    Index row;
    Index string;
    Remainders::Taken taken;
  };
  /// Memory of a thread.
  struct Scratch {
    std::vector<Index> counts;  ///< by remainder, zero between units
    std::vector<Index> groups;  ///< remainders that were met
    std::vector<Mixed> mixed;
    std::vector<OfSpin> of_spin;
  };

  /// f(x, y) of pairs of a unit of kind `mixed`, x before y in a group.
  template <class F>
  void visit_mixed(const Unit& unit, Scratch& scratch, F f) const;
  /// f(x, y) of pairs that differ by one electron of that spin; the other's string is unit.number.
  template <class F>
  void visit_singles(Spin spin, const Unit& unit, Scratch& scratch, F f) const {
    visit_of_spin(spin, one_[spin], unit, scratch, f);
  }
  /// By two.
  template <class F>
  void visit_doubles(Spin spin, const Unit& unit, Scratch& scratch, F f) const {
    visit_of_spin(spin, two_[spin], unit, scratch, [&](const OfSpin& x, const OfSpin& y) {
      const auto has = [&](std::uint8_t p) { return p == y.taken.first || p == y.taken.second; };
      if (!has(x.taken.first) && !has(x.taken.second)) f(x, y);
    });
  }

  /// Determinants with that string of a spin, ascending.
  std::span<const ListedRow> rows_of(Spin spin, Index string) const {
    const auto& [begin, rows] = by_string_[spin];
    return {rows.data() + begin[string], rows.data() + begin[string + 1]};
  }
  Index alpha_of(Index row) const { return alpha_of_[row]; }
  /// True if test(spin, string) holds of a string that the determinants of a unit have: of the
  /// alpha strings of mixed ones, else of the one that they share.
  template <class Test>
  bool any_string(const Unit& unit, Test test) const {
    if (unit.kind != Kind::mixed)
      return test(unit.kind == Kind::of_alpha ? beta : alpha, unit.number);
    return std::ranges::any_of(one_[alpha].members(unit.number),
                               [&](const auto& member) { return test(alpha, member.string); });
  }
  const ListedSpace& space() const { return space_; }
  std::size_t bytes() const;
  /// Bytes that it will take, about.
  static double bytes_for(const ListedSpace& space);

 private:
  struct ByString {
    std::vector<Index> begin;
    Array<ListedRow> rows;
  };
  template <class F>
  void visit_of_spin(Spin spin, const Remainders& remainders, const Unit& unit, Scratch& scratch,
                     F f) const;
  /// Groups entries by their remainders and calls f(first, last) for every group of two and more.
  /// for_each(g): g(remainder, entry) for all entries.
  template <class Entry, class ForEach, class F>
  static void for_each_group(Index remainders, std::vector<Entry>& entries, Scratch& scratch,
                             ForEach for_each, F f);
  void make_units();

  const ListedSpace& space_;
  std::array<Remainders, 2> one_, two_;  ///< of alpha and beta strings, without one electron or two
  std::array<ByString, 2> by_string_;
  Array<Index> alpha_of_;  ///< of each row
  std::vector<Unit> units_;
};

template <class Entry, class ForEach, class F>
void ListPairs::for_each_group(Index remainders, std::vector<Entry>& entries, Scratch& scratch,
                               ForEach for_each, F f) {
  std::vector<Index>& counts = scratch.counts;
  if (counts.size() < static_cast<std::size_t>(remainders)) counts.resize(remainders, 0);
  scratch.groups.clear();
  for_each([&](Index remainder, const auto&) {
    if (counts[remainder]++ == 0) scratch.groups.push_back(remainder);
  });
  // A group's count becomes the place of its next entry; those of one determinant have none.
  Index sum = 0;
  for (const Index g : scratch.groups) {
    const Index size = counts[g];
    counts[g] = size > 1 ? sum : -1;
    sum += size > 1 ? size : 0;
  }
  if (entries.size() < static_cast<std::size_t>(sum)) entries.resize(sum);
  for_each([&](Index remainder, const auto& make) {
    if (counts[remainder] >= 0) entries[counts[remainder]++] = make();
  });
  Index first = 0;
  for (const Index g : scratch.groups) {
    const Index last = counts[g];
    counts[g] = 0;
    if (last < 0) continue;
    f(std::span<const Entry>(entries.data() + first, entries.data() + last));
    first = last;
  }
}

template <class F>
void ListPairs::visit_mixed(const Unit& unit, Scratch& scratch, F f) const {
  const auto entries = [&](auto g) {
    for (const auto& [a, taken_a] : one_[alpha].members(unit.number)) {
      for (const auto& [b, row] : rows_of(alpha, a)) {
        const auto remainders = one_[beta].of(b);
        const auto taken = one_[beta].taken(b);
        for (std::size_t e = 0; e < remainders.size(); ++e) {
          if (remainders[e] % unit.parts != unit.part) continue;
          g(remainders[e], [&] {
            return Mixed{row, taken_a.first, taken[e].first,
                         static_cast<std::uint8_t>(taken_a.odd ^ taken[e].odd)};
          });
        }
      }
    }
  };
  for_each_group(one_[beta].size(), scratch.mixed, scratch, entries, [&](auto group) {
    for (auto x = group.begin(); x != group.end(); ++x) {
      for (auto y = x + 1; y != group.end(); ++y) {
        if (x->alpha != y->alpha && x->beta != y->beta) f(*x, *y);
      }
    }
  });
}

template <class F>
void ListPairs::visit_of_spin(Spin spin, const Remainders& remainders, const Unit& unit,
                              Scratch& scratch, F f) const {
  const auto entries = [&](auto g) {
    for (const auto& [string, row] : rows_of(spin == alpha ? beta : alpha, unit.number)) {
      const auto all = remainders.of(string);
      const auto taken = remainders.taken(string);
      for (std::size_t e = 0; e < all.size(); ++e) {
        if (all[e] % unit.parts != unit.part) continue;
        g(all[e], [&] { return OfSpin{row, string, taken[e]}; });
      }
    }
  };
  for_each_group(remainders.size(), scratch.of_spin, scratch, entries, [&](auto group) {
    for (auto x = group.begin(); x != group.end(); ++x) {
      for (auto y = x + 1; y != group.end(); ++y) f(*x, *y);
    }
  });
}

}  // namespace cisolve
