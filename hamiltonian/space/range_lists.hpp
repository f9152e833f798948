#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/threads/parallel.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Lists of entries that lead from a beta string to others, their `target`, by which list_of(b)
/// ascends, over a space whose alpha strings have ranges of beta strings: where every list enters
/// and leaves every range, a part, is found once. Bytes: 6 for each beta string and range. The
/// space must outlive it.
class RangeLists {
 public:
  struct Part {
    Index range;   ///< its number
    Index column;  ///< determinant (a, b) has number column + b
    bool holds;    ///< the beta strings of the block, all or none of them
  };
  /// Entries [first, last) of a beta string's list that stay within a range; those from `middle`
  /// lead above the string itself.
  struct Entries {
    std::uint16_t first, middle, last;
  };

  template <class ListOf>
  RangeLists(const CiSpace& space, const ListOf& list_of);

  /// visit(part) of the parts of determinants_of(a), ascending, unless no row of the block of
  /// (a', b) reaches them, through entries of its list (by_entries) or because b itself is in.
  template <class Visit>
  void for_each_part(Index a, Index b, bool by_entries, Visit visit) const {
    const RangeDeterminants all = space_.determinants_of(a);
    const auto* reached = &reached_[std::size_t(space_.beta.group_of[b]) * space_.ranges()];
    Index number = space_.first_range(space_.alpha.group_of[a]);
    for (const BetaRange& range : all.ranges_) {
      const bool holds = range.holds(b);
      if (holds || (by_entries && reached[number] != 0)) {
        visit(Part{number, static_cast<Index>(all.first_column(range)), holds});
      }
      ++number;
    }
  }
  /// found(entry, number) of the entries of b's list that make determinants of the part, and among
  /// them, where b itself is in it, own(number): numbers ascend.
  template <class List, class Visit, class Own>
  void visit(const Part& part, Index b, const List& list, Visit found, Own own) const {
    const Entries& entries = entries_[std::size_t(b) * space_.ranges() + part.range];
    for (int k = entries.first; k < entries.middle; ++k) {
      found(list[k], part.column + list[k].target);
    }
    if (part.holds) own(part.column + b);
    for (int k = entries.middle; k < entries.last; ++k) {
      found(list[k], part.column + list[k].target);
    }
  }
  /// The latter alone.
  template <class Own>
  void visit_own(const Part& part, Index b, Own own) const {
    if (part.holds) own(part.column + b);
  }
  std::size_t bytes() const { return entries_.size() * sizeof(Entries); }

  /// Entries of beta string b and range r at [b · ranges + r].
  std::span<const Entries> entries() const { return entries_; }

 private:
  void mark_reached();

  const CiSpace& space_;
  std::vector<Entries> entries_;
  std::vector<std::uint8_t> reached_;  ///< of a group of beta strings and a range, 1: by an entry
};

template <class ListOf>
RangeLists::RangeLists(const CiSpace& space, const ListOf& list_of) : space_(space) {
  const Index count = space.ranges();
  entries_.assign(std::size_t(space.beta.size()) * count, Entries{0, 0, 0});
#pragma omp parallel for if (worth_threads(50.0 * count * space.beta.size())) schedule(static)
  for (Index b = 0; b < space.beta.size(); ++b) {
    const auto list = list_of(b);
    const auto position = [&](Index target) {
      const auto found = std::ranges::partition_point(
          list, [&](const auto& entry) { return entry.target < target; });
      return static_cast<std::uint16_t>(found - list.begin());
    };
    Entries* of_string = &entries_[std::size_t(b) * count];
    for (const BetaRange& range : space.ranges_) {
      const std::uint16_t first = position(range.first), last = position(range.last);
      *of_string++ = {first, std::clamp(position(b), first, last), last};
    }
  }
  mark_reached();
}

}  // namespace cisolve
