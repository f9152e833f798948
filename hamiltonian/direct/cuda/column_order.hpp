#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/types.hpp"

/// In which order a GPU makes the rows t of G_a[t, b'] = Σ V_ts (E_s c)_ab' of some columns b'
/// together: of a pair t that changes none of their strings no row is wanted, and where σ_ab is
/// wanted for b ≤ a alone, only from the lowest a on to which t leads from one of them. Rows that
/// are wanted from like items on stand together, so that whole steps of rows can be left out.
namespace cisolve {

struct ColumnOrder {
  int slots = 0;                    ///< places of rows, a multiple of `step`
  std::vector<std::int16_t> order;  ///< [columns / together][slots]: row t at that place, or −1
  std::vector<Index> wanted_from;   ///< [columns / together][slots / step]: the lowest item
};

/// Of rows 0 … lowest.size() − 1, lowest[t][c] the lowest item for which row t is wanted of columns
/// c · together …, the largest number for none. Rows stay within their section, and at places
/// s ≡ t modulo `bank_rows`.
inline ColumnOrder column_order(const std::vector<std::vector<Index>>& lowest, int section,
                                int step, int bank_rows) {
  constexpr Index never = std::numeric_limits<Index>::max();
  const int rows = static_cast<int>(lowest.size());
  const std::size_t blocks = rows == 0 ? 0 : lowest.front().size();
  ColumnOrder made;
  made.slots = (rows + section - 1) / section * section;
  made.order.assign(blocks * made.slots, -1);
  made.wanted_from.assign(blocks * (made.slots / step), never);
  std::vector<int> wanted;
  for (std::size_t c = 0; c < blocks; ++c) {
    std::int16_t* const order = made.order.data() + c * made.slots;
    Index* const from = made.wanted_from.data() + c * (made.slots / step);
    for (int first = 0; first < rows; first += section) {
      for (int bank = 0; bank < bank_rows; ++bank) {
        wanted.clear();
        for (int t = first + bank; t < std::min(first + section, rows); t += bank_rows) {
          if (lowest[t][c] != never) wanted.push_back(t);
        }
        std::stable_sort(wanted.begin(), wanted.end(),
                         [&](int s, int t) { return lowest[s][c] < lowest[t][c]; });
        for (int i = 0; i < static_cast<int>(wanted.size()); ++i) {
          const int place = first + i * bank_rows + bank;
          order[place] = static_cast<std::int16_t>(wanted[i]);
          from[place / step] = std::min(from[place / step], lowest[wanted[i]][c]);
        }
      }
    }
  }
  return made;
}

}  // namespace cisolve
