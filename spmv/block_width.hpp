#pragma once

#include <type_traits>

namespace cisolve {

/// Calls f(std::integral_constant<int, W>, first column) for the pieces that a block of k
/// interleaved vectors is worked in, of these widths, the widest first. The last width is 1.
template <int... widths, class F>
void for_each_piece_of(int k, F&& f) {
  int first = 0;
  const auto take = [&](auto width) {
    while (k - first >= width.value) {
      f(width, first);
      first += width.value;
    }
  };
  (take(std::integral_constant<int, widths>{}), ...);
}

/// Vectors of the widest piece there is.
inline constexpr int widest_piece = 8;

/// On the CPU: as many reads of the matrix as there are eights in k, rounded up.
template <class F>
void for_each_piece(int k, F&& f) {
  for_each_piece_of<widest_piece, 7, 6, 5, 4, 3, 2, 1>(k, f);
}

/// On a device, whose kernels take longer to compile.
template <class F>
void for_each_device_piece(int k, F&& f) {
  for_each_piece_of<widest_piece, 6, 4, 3, 2, 1>(k, f);
}

}  // namespace cisolve
