#include "bench/hard_fields.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "core/dense/field_matrix.hpp"

namespace cisolve::hard {
namespace {

using Element = std::array<double, 4>;

Element product(const Element& a, const Element& b) {
  Element c{};
  for (int p = 0; p < 4; ++p) {
    for (int q = 0; q < 4; ++q) c[p ^ q] += unit_sign(p, q) * a[p] * b[q];
  }
  return c;
}
Element conjugate(const Element& a) {
  return {a[0], -a[1], -a[2], -a[3]};
}

std::vector<Element> random_phases(Eigen::Index n, int d, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Element> phases(n);
  for (Element& phase : phases) {
    double square = 0.0;
    for (int c = 0; c < d; ++c) square += (phase[c] = normal(engine)) * phase[c];
    for (double& c : phase) c /= std::sqrt(square);
  }
  return phases;
}

/// The nonzero elements of a dense matrix in its real form, self-adjoint bit for bit.
CsrMatrix from_real_form(const HostMatrix& a, int d) {
  const auto n = static_cast<Index>(a.rows() / d);
  CsrMatrix made;
  made.rows = made.columns = n;
  made.components = d;
  made.row_offsets.push_back(0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const bool above = j >= i;
      const auto own = above ? a.block(d * i, d * j, d, d) : a.block(d * j, d * i, d, d);
      if (own.col(0).cwiseAbs().maxCoeff() == 0.0) continue;
      made.column_indices.push_back(j);
      for (int c = 0; c < d; ++c) {
        const double value = i == j && c > 0 ? 0.0 : own(c, 0);
        made.values.push_back(above || c == 0 ? value : -value);
      }
    }
    made.row_offsets.push_back(static_cast<Offset>(made.column_indices.size()));
  }
  return made;
}

HostMatrix phased(const HostMatrix& real, int d, unsigned seed) {
  const Eigen::Index n = real.rows();
  const std::vector<Element> phases = random_phases(n, d, seed);
  HostMatrix a = HostMatrix::Zero(d * n, d * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      if (real(i, j) == 0.0) continue;
      Element element = product(conjugate(phases[i]), phases[j]);
      for (double& c : element) c *= real(i, j);
      put_element(a, i, j, element, d);
    }
  }
  return a;
}

}  // namespace

CsrMatrix with_phases(const HostMatrix& real, int d, unsigned seed) {
  return from_real_form(phased(real, d, seed), d);
}

CsrMatrix rotated_over(const HostMatrix& real, int d, unsigned seed) {
  constexpr Eigen::Index most = 9;  // rows that are rotated together
  HostMatrix a = phased(real, d, seed);
  std::mt19937 engine(seed + 1);
  std::normal_distribution<double> normal;
  const Eigen::Index n = real.rows();
  for (Eigen::Index first = 0; first < n; first += most) {
    const Eigen::Index m = std::min(most, n - first);
    HostMatrix b(d * m, d * m);
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Eigen::Index j = 0; j < m; ++j) {
        Element element{};
        for (int c = 0; c < d; ++c) element[c] = normal(engine);
        put_element(b, i, j, element, d);
      }
    }
    const HostMatrix u = field_eigen(HostMatrix(b + b.transpose()), d).vectors;
    a.middleRows(d * first, d * m) = HostMatrix(u.transpose() * a.middleRows(d * first, d * m));
    a.middleCols(d * first, d * m) = HostMatrix(a.middleCols(d * first, d * m) * u);
  }
  return from_real_form(a, d);
}

CsrMatrix in_pairs(const CsrMatrix& quaternions) {
  CsrMatrix made;
  made.rows = made.columns = 2 * quaternions.rows;
  made.components = 2;
  made.row_offsets.push_back(0);
  for (Index i = 0; i < made.rows; ++i) {
    for (Offset e = quaternions.row_offsets[i / 2]; e < quaternions.row_offsets[i / 2 + 1]; ++e) {
      // z + wj: (z, w; −w̄, z̄)
      const double* const q = quaternions.values.data() + 4 * e;
      const Index j = 2 * quaternions.column_indices[e];
      const bool lower = i % 2 == 1;
      const std::array<double, 4> both =
          lower ? std::array{-q[2], q[3], q[0], -q[1]} : std::array{q[0], q[1], q[2], q[3]};
      made.column_indices.insert(made.column_indices.end(), {j, j + 1});
      made.values.insert(made.values.end(), both.begin(), both.end());
    }
    made.row_offsets.push_back(static_cast<Offset>(made.column_indices.size()));
  }
  return made;
}

}  // namespace cisolve::hard
