#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "hamiltonian/space/determinant_space.hpp"

namespace cisolve {

/// Beta strings [first, last) that go with an alpha string; their determinants come after `before`
/// others of it.
struct BetaRange {
  Index first, last, before;

  bool holds(Index b) const { return first <= b && b < last; }
};

/// The determinants of one alpha string (DeterminantSpace), whose beta strings are ranges: of full
/// CI and excitations from a reference one, of restricted active spaces at most one for every
/// number of holes.
class RangeDeterminants {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = AlphaMember;
    Iterator() = default;
    Iterator(AlphaMember at, const BetaRange* range, const BetaRange* last)
        : at_(at), range_(range), last_(last) {}
    AlphaMember operator*() const { return at_; }
    Iterator& operator++() {
      ++at_.row;
      if (++at_.beta == range_->last && range_ != last_) at_.beta = (++range_)->first;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_.row == other.at_.row; }

   private:
    AlphaMember at_{};
    const BetaRange *range_ = nullptr, *last_ = nullptr;
  };

  /// `ranges`, one at least, ascend and do not touch; but for a single one, none is empty.
  RangeDeterminants(std::span<const BetaRange> ranges, std::int64_t first_row)
      : ranges_(ranges), first_row_(first_row) {}

  Iterator begin() const { return at(ranges_.front(), ranges_.front().first); }
  Iterator end() const { return at(ranges_.back(), ranges_.back().last); }
  Iterator at(std::int64_t row) const {
    const BetaRange* range = &ranges_.back();
    while (row < first_row_ + range->before) --range;
    return at(*range, static_cast<Index>(row - first_column(*range)));
  }
  Index size() const {
    const BetaRange& last = ranges_.back();
    return last.before + (last.last - last.first);
  }
  bool empty() const { return size() == 0; }
  std::int64_t find(Index b) const {
    for (const BetaRange& range : ranges_) {
      if (range.holds(b)) return first_column(range) + b;
    }
    return -1;
  }
  /// visit(entry, number) of the entries of a list, ascending by beta string, key(entry), that make
  /// determinants with the alpha string.
  template <class List, class Key, class Visit>
  void select(const List& list, Key key, Visit visit) const {
    auto entry = list.begin();
    for (const BetaRange& range : ranges_) {
      entry = std::ranges::lower_bound(entry, list.end(), range.first, {}, key);
      const std::int64_t column = first_column(range);
      for (; entry != list.end() && std::invoke(key, *entry) < range.last; ++entry) {
        visit(*entry, column + std::invoke(key, *entry));
      }
    }
  }
  /// visit(row, other row, n) of two alpha strings' determinants with the same beta strings, n of
  /// these one after another at a time.
  template <class Visit>
  friend void for_each_common(const RangeDeterminants& x, const RangeDeterminants& y, Visit visit) {
    for (const BetaRange& r : x.ranges_) {
      for (const BetaRange& s : y.ranges_) {
        const Index begin = std::max(r.first, s.first), end = std::min(r.last, s.last);
        if (begin >= end) continue;
        visit(x.first_column(r) + begin, y.first_column(s) + begin, end - begin);
      }
    }
  }

 private:
  friend class RangeLists;
  /// In a range (a, b) has number first_column(range) + b. May be negative.
  std::int64_t first_column(const BetaRange& range) const {
    return first_row_ + range.before - range.first;
  }
  Iterator at(const BetaRange& range, Index b) const {
    return {{b, first_column(range) + b}, &range, &ranges_.back()};
  }

  std::span<const BetaRange> ranges_;
  std::int64_t first_row_;
};

}  // namespace cisolve
