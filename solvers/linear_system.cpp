#include "solvers/linear_system.hpp"

#include <cmath>
#include <string>

#include "core/error.hpp"

namespace cisolve {
namespace {

constexpr double smallest_denominator = 1e-300;

HostMatrix shifted_diagonal(const LinearOperator& a, Backend& backend, double shift) {
  MultiVector d(backend, a.rows(), 1);
  a.diagonal(d.view());
  HostMatrix host = backend.download(d.view());
  host.array() -= shift;
  return host;
}

void require_divisible(const HostMatrix& d, double shift) {
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    if (d(i, 0) == 0.0 || !std::isfinite(d(i, 0))) {
      throw InputError("linear: row " + std::to_string(i + 1) + " has the diagonal element " +
                       std::to_string(d(i, 0)) + " after the shift by " + std::to_string(shift) +
                       "; the methods divide by it");
    }
  }
}

}  // namespace

ColumnScalars ratio(const ColumnScalars& a, const ColumnScalars& b) {
  ColumnScalars q(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    q[j] = std::abs(b[j]) < smallest_denominator ? 0.0 : a[j] / b[j];
  }
  return q;
}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift)
    : LinearSystem(a, backend, shift, shifted_diagonal(a, backend, shift)) {}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           const HostMatrix& d)
    : a_(a),
      backend_(backend),
      shift_(shift),
      d_(backend, a.rows(), 1),
      magnitude_(backend, a.rows(), 1) {
  require_divisible(d, shift);
  if ((d.array() > 0.0).all()) sign_ = 1;
  if ((d.array() < 0.0).all()) sign_ = -1;
  backend_.upload(d, d_.view());
  backend_.upload(d.cwiseAbs(), magnitude_.view());
}

void LinearSystem::apply(ConstView x, View y) {
  a_.apply(1.0, x, 0.0, y);
  if (shift_ != 0.0) backend_.axpby(-shift_, x, 1.0, y);
  products_ += x.columns;
}

void LinearSystem::residual(ConstView b, ConstView x, View r) {
  backend_.copy(b, r);
  a_.apply(-1.0, x, 1.0, r);
  if (shift_ != 0.0) backend_.axpby(shift_, x, 1.0, r);
  products_ += x.columns;
}

void LinearSystem::divide(ConstView r, View z) {
  backend_.fill(0.0, z);
  backend_.jacobi_update(1.0, r, d_.view(), z);
}

void LinearSystem::divide_by_magnitude(ConstView r, View z) {
  backend_.fill(0.0, z);
  backend_.jacobi_update(1.0, r, magnitude_.view(), z);
}

void LinearSystem::relax(double omega, ConstView r, View x) {
  backend_.jacobi_update(omega, r, d_.view(), x);
}

ColumnScalars LinearSystem::norms(ConstView x) {
  ColumnScalars values(x.columns);
  backend_.column_norms(x, values);
  return values;
}

ColumnScalars LinearSystem::dots(ConstView x, ConstView y) {
  backend_.gram(x, y, dots_);
  ColumnScalars values(x.columns);
  for (int j = 0; j < x.columns; ++j) values[j] = dots_(j, j);
  return values;
}

void LinearSystem::add(double alpha, const ColumnScalars& s, ConstView x, View y) {
  const auto k = static_cast<Eigen::Index>(s.size());
  scale_.setZero(k, k);
  for (Eigen::Index j = 0; j < k; ++j) scale_(j, j) = s[j];
  backend_.combine(alpha, x, scale_, 1.0, y);
}

void LinearSystem::scale_and_add(ConstView x, const ColumnScalars& s, View y) {
  backend_.scale_columns(s, y);
  backend_.axpby(1.0, x, 1.0, y);
}

}  // namespace cisolve
