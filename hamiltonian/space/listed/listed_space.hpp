#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
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
  std::int64_t size() const { return std::ssize(betas_); }
  std::int64_t find(Index b) const {
    const auto place = std::ranges::lower_bound(betas_, b);
    return place != betas_.end() && *place == b ? number(place) : -1;
  }

 private:
  using Place = std::span<const Index>::iterator;
  std::int64_t number(Place place) const { return first_row_ + (place - betas_.begin()); }

  std::span<const Index> betas_;
  std::int64_t first_row_;
};

/// A determinant that a list has twice.
class RepeatedDeterminant : public InputError {
 public:
  explicit RepeatedDeterminant(const Determinant& which)
      : InputError("list of determinants: one is listed twice"), determinant(which) {}
  Determinant determinant;
};

/// Any determinants, by ascending alpha, then beta string: a DeterminantSpace that finds them by
/// bisection. Bytes: 4 a determinant, and the strings.
class ListedSpace {
 public:
  /// Determinants alphas[i] betas[i] in any order, of which there are 1 to 2^31 − 1; the strings'
  /// orbitals, electrons and reference are those of two spaces without strings. The reference
  /// determinant need not be listed. Throws RepeatedDeterminant.
  ListedSpace(StringSpace of_alpha, StringSpace of_beta, std::span<const OrbitalString> alphas,
              std::span<const OrbitalString> betas);

  StringSpace alpha, beta;
  std::vector<std::string> notes;

  ListedDeterminants determinants_of(Index a) const {
    return {std::span(betas_).subspan(begin_[a], begin_[a + 1] - begin_[a]), begin_[a]};
  }
  std::int64_t size() const { return static_cast<std::int64_t>(betas_.size()); }
  Index alpha_of(std::int64_t row) const;
  Index beta_of(std::int64_t row) const { return betas_[row]; }
  Determinant determinant(std::int64_t row) const {
    return {alpha.strings[alpha_of(row)], beta.strings[betas_[row]]};
  }

 private:
  std::vector<Index> begin_;  ///< alpha.size() + 1
  std::vector<Index> betas_;  ///< of each determinant
};

}  // namespace cisolve
