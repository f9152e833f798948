#pragma once

namespace cisolve {

// Elements of K: real numbers, complex ones, quaternions, of d = 1, 2, 4 real components, the
// coefficients of the units e_0 = 1, e_1 = i, e_2 = j, e_3 = k. e_p e_q = unit_sign(p, q) e_r with
// r = p XOR q.

/// The sign of e_p e_q.
constexpr double unit_sign(int p, int q) {
  constexpr double sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
  return sign[p][q];
}

/// conj(e_p) = conjugate_sign(p) e_p.
constexpr double conjugate_sign(int p) {
  return p == 0 ? 1.0 : -1.0;
}

/// Elements of so many components for people: "real", "complex", "quaternion".
constexpr const char* elements_name(int components) {
  return components == 1 ? "real" : components == 2 ? "complex" : "quaternion";
}
/// Name of the nonzeros of a matrix with such elements.
constexpr const char* nonzeros_name(int components) {
  return components == 1   ? "nonzeros"
         : components == 2 ? "complex nonzeros"
                           : "nonzero quaternions";
}

}  // namespace cisolve
