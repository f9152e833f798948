#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "hamiltonian/space/ci_space.hpp"
#include "hamiltonian/space/determinant_space.hpp"

namespace cisolve {

/// The determinants of one alpha string (DeterminantSpace), given by their beta strings, which
/// ascend.
class ListedDeterminants {
 public:
  class Iterator {
   public:
    explicit Iterator(const Index* beta, std::int64_t row) : beta_(beta), row_(row) {}
    AlphaMember operator*() const { return {*beta_, row_}; }
    Iterator& operator++() {
      ++beta_;
      ++row_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return row_ == other.row_; }

   private:
    const Index* beta_;
    std::int64_t row_;
  };

  ListedDeterminants(std::span<const Index> betas, std::int64_t first_row)
      : betas_(betas), first_row_(first_row) {}

  Iterator begin() const { return at(first_row_); }
  Iterator end() const { return at(first_row_ + std::ssize(betas_)); }
  Iterator at(std::int64_t row) const {
    return Iterator(&betas_.front() + (row - first_row_), row);
  }
  std::int64_t find(Index b) const {
    const auto place = std::ranges::lower_bound(betas_, b);
    return place != betas_.end() && *place == b ? number(place) : -1;
  }
  template <class List, class Key, class Visit>
  void select(const List& list, Key key, Visit visit) const {
    auto place = betas_.begin();
    for (const auto& entry : list) {
      place = std::lower_bound(place, betas_.end(), std::invoke(key, entry));
      if (place == betas_.end()) return;
      if (*place == std::invoke(key, entry)) visit(entry, number(place));
    }
  }
  template <class Visit>
  friend void for_each_common(const ListedDeterminants& x, const ListedDeterminants& y,
                              Visit visit) {
    auto i = x.betas_.begin(), j = y.betas_.begin();
    while (i != x.betas_.end() && j != y.betas_.end()) {
      if (*i != *j) {
        *i < *j ? ++i : ++j;
        continue;
      }
      const std::int64_t row = x.number(i), other = y.number(j);
      Index n = 0;
      for (Index next = *i; i != x.betas_.end() && j != y.betas_.end() && *i == next && *j == next;
           ++next, ++n, ++i, ++j) {
      }
      visit(row, other, n);
    }
  }

 private:
  using Place = std::span<const Index>::iterator;
  std::int64_t number(Place place) const { return first_row_ + (place - betas_.begin()); }

  std::span<const Index> betas_;
  std::int64_t first_row_;
};

/// Any determinants, by ascending alpha, then beta string: a DeterminantSpace that finds them by
/// bisection. Bytes: 4 a determinant, and the strings.
class ListedSpace {
 public:
  /// In any order. The reference determinant need not be among them. Throws InputError where there
  /// are none or more than 2^31 − 1, one is listed twice, or has other numbers of electrons or
  /// further orbitals.
  ListedSpace(int orbitals, std::vector<Determinant> determinants, const Determinant& reference);

  StringSpace alpha, beta;

  ListedDeterminants determinants_of(Index a) const {
    return {std::span(betas_).subspan(begin_[a], begin_[a + 1] - begin_[a]), begin_[a]};
  }
  std::int64_t size() const { return static_cast<std::int64_t>(betas_.size()); }
  Index alpha_of(std::int64_t row) const;
  std::vector<RowBlock> row_blocks(Index most) const;
  Determinant determinant(std::int64_t row) const {
    return {alpha.strings[alpha_of(row)], beta.strings[betas_[row]]};
  }

  class BetaLists {
   public:
    /// All determinants of an alpha string.
    struct Part {
      Index alpha;
    };
    template <class ListOf>
    BetaLists(const ListedSpace& space, const ListOf&) : space_(space) {}
    template <class Visit>
    void for_each_part(Index a, Index, bool, Visit visit) const {
      visit(Part{a});
    }
    template <class List, class Visit, class Own>
    void visit(const Part& part, Index b, const List& list, Visit found, Own own) const {
      const auto above =
          std::ranges::partition_point(list, [&](const auto& entry) { return entry.target < b; });
      const ListedDeterminants all = space_.determinants_of(part.alpha);
      const auto add = [&](const auto& entry, std::int64_t row) {
        found(entry, static_cast<Index>(row));
      };
      const auto target = [](const auto& entry) { return entry.target; };
      all.select(std::span(list.begin(), above), target, add);
      visit_own(part, b, own);
      all.select(std::span(above, list.end()), target, add);
    }
    template <class Own>
    void visit_own(const Part& part, Index b, Own own) const {
      const std::int64_t row = space_.determinants_of(part.alpha).find(b);
      if (row >= 0) own(static_cast<Index>(row));
    }
    std::size_t bytes() const { return 0; }

   private:
    const ListedSpace& space_;
  };

 private:
  std::vector<Index> begin_;  ///< alpha.size() + 1
  std::vector<Index> betas_;  ///< of each determinant
};

}  // namespace cisolve
