#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace cisolve {

/// All strings of one spin with so many electrons in m ≤ 64 orbitals, ascending by their bits: the
/// combinatorial number system, string {p_1 < p_2 < …} having number Σ_i C(p_i, i).
struct AllStrings {
  AllStrings(int m, int n) : orbitals(m), electrons(n) {}

  int orbitals, electrons;
  /// Throws InputError where they are more than an Index counts.
  Index size() const;
  static std::int64_t number(std::uint64_t bits);
  /// Calls f(bits) for each, ascending.
  template <class F>
  void for_each(F&& f) const {
    if (electrons < 0 || electrons > orbitals) return;
    const auto lowest = [](int n) { return n == 0 ? 0 : ~std::uint64_t{0} >> (64 - n); };
    std::uint64_t bits = lowest(electrons);
    for (std::int64_t left = size(); left > 0; --left) {
      f(bits);
      if (left == 1) return;
      // The next number with as many bits set.
      const std::uint64_t low = bits & -bits, carried = bits + low;
      bits = carried | (((bits ^ carried) / low) >> 2);
    }
  }
};

/// C(n, k); 0 where k is none of 0 … n.
std::int64_t binomial(int n, int k);

/// k electrons taken away from all strings of one spin, to strings κ of k electrons fewer: the
/// operators O_{p<q<…} = … a_q a_p, numbered as the strings {p, q, …} are. Equally many of these
/// lead to each κ, C(m − electrons of κ, k), by ascending number.
struct StringRemovals {
  StringRemovals(int orbitals, int electrons, int removed);

  int orbitals, removed;
  Index sources = 0, targets = 0;
  int operators = 0;  ///< C(m, k)
  int rows = 0;       ///< operators that lead to each target
  /// ⟨κ| O_i |s⟩ = ±1 as ±(s + 1) at [κ · rows + i], and the number of that operator.
  std::vector<Index> entries, labels;
};

/// One electron taken away, by orbital: ⟨λ| a_r |s⟩ = ±1 as ±(s + 1) at [r · targets + λ], 0 where
/// there is no such s.
std::vector<Index> removals_by_orbital(const StringRemovals& single);

}  // namespace cisolve
