#pragma once

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "core/dense/field_matrix.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/p_space.hpp"
#include "spmv/forwarding_operator.hpp"
#include "tests/support/eigenpairs.hpp"

namespace cisolve::testing {

/// A random m × k matrix over K in the real form, its components normal.
inline HostMatrix random_over(int d, int m, int k, std::mt19937& engine) {
  std::normal_distribution<double> normal;
  HostMatrix a(d * m, d * k);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < k; ++j) {
      std::array<double, 4> element{};
      for (int r = 0; r < d; ++r) element[r] = normal(engine);
      put_element(a, i, j, element, d);
    }
  }
  return a;
}

/// A random unitary matrix of K.
inline HostMatrix random_unitary(int d, int n, std::mt19937& engine) {
  const HostMatrix b = random_over(d, n, n, engine);
  return field_eigen(HostMatrix(b + b.transpose()), d).vectors;
}

/// UΛUᴴ.
inline HostMatrix with_spectrum(int d, const HostMatrix& u, const std::vector<double>& values) {
  HostVector repeated(u.cols());
  for (Eigen::Index j = 0; j < u.cols(); ++j) repeated[j] = values[j / d];
  const HostMatrix a = u * repeated.asDiagonal() * u.transpose();
  return 0.5 * (a + a.transpose());
}

/// A matrix over K whose elements a real matrix has, in the real form.
class OverField final : public ForwardingOperator {
 public:
  OverField(LinearOperator& real, int components) : real_(real), components_(components) {}
  int components() const override { return components_; }

 protected:
  LinearOperator& inner() const override { return real_; }

 private:
  LinearOperator& real_;
  int components_;
};

/// The p-space of a real form, `size` rows over K, one sector.
inline PSpace p_space_over(int d, const HostMatrix& a, int size) {
  HostVector diagonal(a.rows() / d);
  for (Eigen::Index i = 0; i < diagonal.size(); ++i) diagonal[i] = a(d * i, d * i);
  PSpace p;
  for (const Index row :
       lowest_diagonal_rows({diagonal.data(), static_cast<std::size_t>(diagonal.size())}, size)) {
    for (int c = 0; c < d; ++c) p.rows.push_back(d * row + c);
  }
  p.matrix = a(p.rows, p.rows);
  return p;
}

}  // namespace cisolve::testing
