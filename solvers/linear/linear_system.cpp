#include "solvers/linear/linear_system.hpp"
#include "core/host_matrix.hpp"

#include <cmath>
#include <utility>

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

}  // namespace

ColumnScalars ratio(const ColumnScalars& a, const ColumnScalars& b) {
  ColumnScalars q(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    q[j] = std::abs(b[j]) < smallest_denominator ? 0.0 : a[j] / b[j];
  }
  return q;
}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift)
    : LinearSystem(a, backend, shift,
                   Splitting(backend, shifted_diagonal(a, backend, shift), shift)) {}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           const DiagonalBlocks& blocks)
    : LinearSystem(a, backend, shift,
                   Splitting(backend, shifted_diagonal(a, backend, shift), shift, blocks)) {}

LinearSystem::LinearSystem(const LinearOperator& a, Backend& backend, double shift,
                           Splitting splitting)
    : a_(a), backend_(backend), shift_(shift), splitting_(std::move(splitting)) {}

void LinearSystem::apply(ConstView x, View y) {
  a_.apply(1.0, x, 0.0, y);
  if (shift_ != 0.0) backend_.axpby(-shift_, x, 1.0, y);
  products_ += x.columns;
}

void LinearSystem::residual(ConstView b, ConstView x, View r) {
  if (shift_ == 0.0) {
    backend_.copy(b, r);
  } else {
    backend_.waxpby(1.0, b, shift_, x, r);
  }
  a_.apply(-1.0, x, 1.0, r);
  products_ += x.columns;
}

ColumnScalars LinearSystem::norms(ConstView x) {
  ColumnScalars values(x.columns);
  backend_.column_norms(x, values);
  return values;
}

ColumnScalars LinearSystem::dots(ConstView x, ConstView y) {
  ColumnScalars values(x.columns);
  backend_.column_dots(x, y, values);
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
