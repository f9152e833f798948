#pragma once

#include <cmath>
#include <type_traits>

#include "core/field.hpp"

namespace cisolve {

// An element a of D real numbers, 1, 2 or 4, side by side: a real number, a complex one (re, im) or
// a quaternion (1, i, j, k).

/// f(std::integral_constant<int, D>) for an element of so many real numbers.
template <class F>
decltype(auto) with_components(int components, F&& f) {
  if (components == 2) return f(std::integral_constant<int, 2>());
  if (components == 4) return f(std::integral_constant<int, 4>());
  return f(std::integral_constant<int, 1>());
}

/// |a|
template <int D>
double magnitude(const double* a) {
  if constexpr (D == 1) {
    return std::abs(*a);
  } else {
    double sum = std::abs(a[0]);
    for (int c = 1; c < D; ++c) sum = std::hypot(sum, a[c]);
    return sum;
  }
}

/// |a − conj(b)|
template <int D>
double distance_to_conjugate(const double* a, const double* b) {
  double difference[D] = {a[0] - b[0]};
  for (int c = 1; c < D; ++c) difference[c] = a[c] + b[c];
  return magnitude<D>(difference);
}

/// Element (r, c) of the real D × D matrix of multiplication with a from the left.
inline double left_factor(const double* a, int r, int c) {
  return unit_sign(r ^ c, c) * a[r ^ c];
}

}  // namespace cisolve
