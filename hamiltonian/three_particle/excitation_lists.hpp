#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace cisolve {

/// X_pq = E_pq + E_qp, p > q, and X_pp = E_pp on all strings of one spin with so many electrons in
/// m orbitals: to each string t lead N (m − N + 1) of them, from strings s, ⟨t|X_pq|s⟩ = ±1.
struct ExcitationLists {
  ExcitationLists(int orbitals, int electrons);

  int links;  ///< of a string
  /// ±(s + 1), and p (p + 1)/2 + q, at [t · links + i].
  std::vector<Index> entries, pairs;
};

}  // namespace cisolve
