#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hamiltonian/space/strings/remainders.hpp"
#include "hamiltonian/space/strings/string_space.hpp"
#include "hamiltonian/spinor_product/string_numbers.hpp"

namespace cisolve {

/// Strings K of one electron fewer than those of a space, or of two fewer, each with the strings
/// that it is made of: all there are by their numbers, those of other spaces from a list.
class FewerElectrons {
 public:
  /// The space must outlive it. `removed`: 1 or 2. Throws ResourceError where the strings K are
  /// more than 2³².
  FewerElectrons(const StringSpace& space, int removed);

  std::int64_t count() const { return count_; }

  /// Calls visit(added, string, odd) for each string of the space that K makes: `added` is the
  /// orbital p, or q(q − 1)/2 + p of p < q; `odd` if the numbers of the added electrons, counted
  /// from 0 along the string, sum to an odd one.
  template <class Visit>
  void for_each(std::int64_t k, const Visit& visit) const;

  /// Columns of d for the strings K from `first` on: d_aK := ± x_K+a, negative if odd, zero where
  /// K + a is no string of the space. x: re and im side by side.
  void take(std::int64_t first, std::span<const double> x, Eigen::Ref<Eigen::MatrixXcd> d) const;

 private:
  /// An orbital that K leaves empty, as StringNumbers::for_each_empty tells of it.
  struct Empty {
    int orbital;
    std::uint32_t low, high;
    bool odd;
  };

  static int pair_of(int p, int q) { return q * (q - 1) / 2 + p; }

  template <class Visit>
  void for_each_pair(const StringNumbers& numbers, const OrbitalString& k,
                     const Visit& visit) const;

  const StringSpace& space_;
  int removed_;
  std::unique_ptr<const Remainders> listed_;  ///< null: all there are, by their numbers
  std::vector<std::uint32_t> binomials_;
  std::int64_t count_ = 0;
};

template <class Visit>
void FewerElectrons::for_each(std::int64_t k, const Visit& visit) const {
  if (listed_) {
    for (const auto& [string, taken] : listed_->members(static_cast<Index>(k))) {
      const int added = removed_ == 1 ? taken.first : pair_of(taken.first, taken.second);
      visit(added, string, taken.odd != 0);
    }
    return;
  }
  const StringNumbers numbers{binomials_.data(), space_.electrons + 1};
  const OrbitalString string =
      numbers.string(static_cast<std::uint32_t>(k), space_.electrons - removed_, space_.orbitals);
  if (removed_ == 1) {
    numbers.for_each_addition(string, space_.orbitals, visit);
  } else {
    for_each_pair(numbers, string, visit);
  }
}

template <class Visit>
void FewerElectrons::for_each_pair(const StringNumbers& numbers, const OrbitalString& k,
                                   const Visit& visit) const {
  Empty lower[OrbitalString::most_orbitals];
  int count = 0;
  numbers.for_each_empty(k, space_.orbitals,
                         [&](int q, std::uint32_t low, std::uint32_t high, bool odd) {
                           for (int e = 0; e < count; ++e) {
                             const Empty& p = lower[e];
                             visit(pair_of(p.orbital, q), p.low + high, p.odd == odd);
                           }
                           lower[count++] = {q, low, high, odd};
                         });
}

}  // namespace cisolve
