#pragma once

#include <complex>
#include <random>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "formats/matrix/csr_matrix.hpp"

namespace cisolve::testing {

/// w + xi + yj + zk with Hamilton's product.
struct Quaternion {
  double w = 0, x = 0, y = 0, z = 0;

  friend Quaternion operator+(Quaternion a, Quaternion b) {
    return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Quaternion operator*(Quaternion a, Quaternion b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
};

/// An element of K of d numbers, as a quaternion.
inline Quaternion element(const double* numbers, int d) {
  if (d == 2) return {numbers[0], numbers[1], 0, 0};
  return d == 1 ? Quaternion{numbers[0], 0, 0, 0}
                : Quaternion{numbers[0], numbers[1], numbers[2], numbers[3]};
}

/// A matrix of the same pattern whose elements have d random numbers.
inline CsrMatrix with_elements(const CsrMatrix& pattern, int d, unsigned seed = 5) {
  CsrMatrix a = pattern;
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  a.components = d;
  a.values.resize(static_cast<std::size_t>(a.nonzeros() * d));
  for (double& value : a.values) value = normal(engine);
  return a;
}

/// (A + A†)/2 of a matrix with a symmetric pattern, whole.
inline CsrMatrix hermitian_part(CsrMatrix a) {
  const int d = a.components;
  std::vector<std::vector<Offset>> at(a.rows, std::vector<Offset>(a.columns, -1));
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) at[i][a.column_indices[e]] = e;
  }
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
      const Index j = a.column_indices[e];
      for (int c = 0; c < d && j < i; ++c) {
        a.values[e * d + c] = (c == 0 ? 1 : -1) * a.values[at[j][i] * d + c];
      }
      for (int c = 1; c < d && j == i; ++c) a.values[e * d + c] = 0.0;
    }
  }
  return a;
}

/// AX element by element, of vectors as real blocks: row i's component c is row i·d + c.
inline HostMatrix field_product(const CsrMatrix& a, const HostMatrix& x) {
  const int d = a.components;
  HostMatrix y = HostMatrix::Zero(Eigen::Index{a.rows} * d, x.cols());
  for (Index i = 0; i < a.rows; ++i) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      std::complex<double> complex;
      Quaternion sum;
      for (Offset e = a.row_offsets[i]; e < a.row_offsets[i + 1]; ++e) {
        const double* const own = a.values.data() + e * d;
        double other[4] = {};
        for (int c = 0; c < d; ++c) other[c] = x(Eigen::Index{a.column_indices[e]} * d + c, j);
        if (d == 2) {
          complex += std::complex(own[0], own[1]) * std::complex(other[0], other[1]);
        } else {
          sum = sum + element(own, d) * element(other, d);
        }
      }
      const double all[4] = {d == 2 ? complex.real() : sum.w, d == 2 ? complex.imag() : sum.x,
                             sum.y, sum.z};
      for (int c = 0; c < d; ++c) y(Eigen::Index{i} * d + c, j) = all[c];
    }
  }
  return y;
}

}  // namespace cisolve::testing
