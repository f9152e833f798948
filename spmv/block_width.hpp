#pragma once

#include <type_traits>

namespace cisolve {

/// Kernels are compiled for these numbers of interleaved vectors; a block of any k is worked in
/// such pieces, widest first. Calls f(std::integral_constant<int, W>, first column) for each piece.
template <class F>
void for_each_piece(int k, F&& f) {
  int first = 0;
  const auto take = [&](auto width) {
    while (k - first >= width.value) {
      f(width, first);
      first += width.value;
    }
  };
  take(std::integral_constant<int, 8>{});
  take(std::integral_constant<int, 6>{});
  take(std::integral_constant<int, 4>{});
  take(std::integral_constant<int, 3>{});
  take(std::integral_constant<int, 2>{});
  take(std::integral_constant<int, 1>{});
}

}  // namespace cisolve
