#include "app/states/phases.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/states/leading.hpp"
#include "backends/field/field_backend.hpp"
#include "backends/ranks/whole_vectors.hpp"
#include "core/dense/field.hpp"
#include "core/dense/field_matrix.hpp"

namespace cisolve {
namespace {

void fix_signs(View x, Backend& backend) {
  std::vector<double> signs(x.columns);
  backend.largest_elements(x, equal_coefficients, signs);
  for (double& sign : signs) sign = sign < 0.0 ? -1.0 : 1.0;
  backend.scale_columns(signs, x);
}

/// The row of the largest element of a vector on the host, and conj(a) / |a| of it; row −1 of
/// zeros.
std::pair<Eigen::Index, std::array<double, 4>> phase_to_take_out(const HostMatrix& x, int d) {
  const Eigen::Index n = x.rows() / d;
  const HostVector moduli = Eigen::Map<const HostMatrix>(x.data(), n, d).rowwise().norm();
  const double least = (1.0 - equal_coefficients) * (n > 0 ? moduli.maxCoeff() : 0.0);
  Eigen::Index row = 0;
  while (row < n && !(moduli[row] >= least)) ++row;
  std::array<double, 4> phase{1.0};
  if (row == n || !(moduli[row] > 0.0)) return {-1, phase};
  for (int r = 0; r < d; ++r) phase[r] = conjugate_sign(r) * x(d * row + r, 0) / moduli[row];
  return {row, phase};
}

}  // namespace

void fix_phases(View x, Backend& backend, int components) {
  if (components == 1) return fix_signs(x, backend);
  const auto over_k = make_field_backend(backend, components);
  MultiVector turned(backend, x.rows, 1);
  HostMatrix phase(components, components);
  for (int j = 0; j < x.columns; ++j) {
    const View x_j = x.slice(j, 1);
    const auto [row, unit] = phase_to_take_out(download_whole(backend, x_j), components);
    if (row < 0) continue;
    put_element(phase, 0, 0, unit, components);
    over_k->combine(1.0, x_j, phase, 0.0, turned.view());
    backend.copy(turned.view(), x_j);
    // Rounding leaves next to nothing of the others.
    const auto others = static_cast<Index>(components * row + 1);
    backend.fill(0.0, x_j.row_range(others, components - 1));
  }
}

}  // namespace cisolve
