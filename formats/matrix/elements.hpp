#pragma once

#include <array>
#include <cmath>
#include <type_traits>

#include "core/dense/field.hpp"
#include "formats/matrix/csr_matrix.hpp"

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

/// An element as formats store it, and its D.
template <int D>
using FieldElement = std::conditional_t<D == 1, double, std::array<double, D>>;
template <class Value>
inline constexpr int components_of = 1;
template <std::size_t D>
inline constexpr int components_of<std::array<double, D>> = D;

/// The entries of a matrix of elements of D real numbers.
template <int D>
const FieldElement<D>* field_elements(const CsrMatrix& a) {
  return reinterpret_cast<const FieldElement<D>*>(a.values.data());
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
