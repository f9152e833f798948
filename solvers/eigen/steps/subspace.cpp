#include "solvers/eigen/steps/subspace.hpp"

#include <algorithm>

#include "backends/ranks/agree.hpp"
#include "core/dense/field_matrix.hpp"

namespace cisolve {
namespace {

// A shorter part of a whole adds nothing to it.
constexpr double smallest_part = 1e-6;
// A remainder of a vector of length 1 has no direction if it is as short as this.
constexpr double rounding = 1e-13;

/// An element over K in the real form, in no memory of its own.
using Overlap = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 4, 4>;

}  // namespace

Subspace::Subspace(Backend& backend, View basis, View images)
    : backend_(backend),
      d_(backend.components()),
      basis_(basis),
      images_(images),
      projection_(HostMatrix::Zero(d_ * basis.columns, d_ * basis.columns)),
      ritz_(basis.columns, d_),
      earlier_(d_ * basis.columns, d_ * basis.columns),
      coefficients_(d_ * basis.columns, d_ * basis.columns),
      product_(d_ * basis.columns, d_ * basis.columns),
      orthonormalize_(backend, basis.columns, 0.0) {}

bool Subspace::append(ConstView t, ConstView at) {
  const int added = t.columns;
  if (added == 0) return true;
  backend_.copy(t, basis_.slice(size_, added));
  backend_.copy(at, images_.slice(size_, added));
  const int size = size_ + added;
  const int before = d_ * size_, now = d_ * size, k = d_ * added;
  const auto columns = coefficients_.topLeftCorner(now, k);
  backend_.gram(basis_.slice(0, size), at, HostRef(columns));  // VᵀAT
  if (!columns.allFinite()) return false;
  earlier_size_ = size_;
  earlier_.topLeftCorner(before, before) = ritz_.vectors();
  projection_.block(0, before, now, k) = columns;
  projection_.block(before, 0, k, now) = columns.transpose();
  size_ = size;
  solve_projected();
  return true;
}

/// Θ and S, of H's symmetric part.
void Subspace::solve_projected() {
  const int n = d_ * size_;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      projection_(i, j) = projection_(j, i) = 0.5 * (projection_(i, j) + projection_(j, i));
    }
  }
  ritz_.solve(projection_.topLeftCorner(n, n));
  agree(backend_.communicator(), ritz_);
}

void Subspace::vectors(View x) const {
  backend_.combine(1.0, basis(), ritz(0, x.columns), 0.0, x);
}

void Subspace::vector(int j, View x) const {
  backend_.combine(1.0, basis(), ritz(j, 1), 0.0, x);
}

void Subspace::vector_and_image(int j, View x, View y) const {
  const ConstHostRef s = ritz(j, 1);
  backend_.combine(1.0, basis(), s, 0.0, x);
  backend_.combine(1.0, images_.slice(0, size_), s, 0.0, y);
}

void Subspace::residuals(View r, std::span<double> norms) const {
  const std::span<const double> theta(values().data(), static_cast<std::size_t>(r.columns));
  backend_.residuals(images_.slice(0, size_), basis(), ritz(0, r.columns), theta, r, norms);
}

void Subspace::restart(int count, int earlier) {
  const int n = d_ * size_;
  coefficients_.topLeftCorner(n, d_ * count) = ritz(0, count);
  const int kept = add_earlier(count, std::min(earlier, earlier_size_)), k = d_ * kept;
  // V ← VC, W ← WC
  const auto c = coefficients_.topLeftCorner(n, k);
  backend_.recombine(basis_.slice(0, size_), c);
  backend_.recombine(images_.slice(0, size_), c);
  // H ← CᵀHC
  auto hc = product_.topLeftCorner(n, k);
  hc.noalias() = projection_.topLeftCorner(n, n) * c;
  projection_.topLeftCorner(k, k).noalias() = c.transpose() * hc;
  earlier_size_ = 0;  // they were coefficients in the basis that is gone
  size_ = kept;
  solve_projected();
}

HostMatrix Subspace::earlier(int count) const {
  const int n = d_ * earlier_size_;
  return ritz_.vectors().topRows(n).transpose() *
         earlier_.topLeftCorner(n, d_ * std::min(count, earlier_size_));
}

void Subspace::take_earlier(const HostMatrix& c) {
  const int n = d_ * size_;
  earlier_size_ = size_;
  earlier_.topLeftCorner(n, n).setZero();
  const auto count = std::min<Eigen::Index>(c.cols(), n);  // the basis may be a smaller one
  earlier_.topLeftCorner(n, count) = c.leftCols(count);
}

void Subspace::clear() {
  size_ = earlier_size_ = 0;
  solve_projected();
}

/// Earlier Ritz vectors, orthonormal to the `columns` columns of the coefficients, behind these;
/// returns the number of columns then. Those that have moved by next to nothing beside the others
/// are left out; how far they all have moved does not matter: without any, LOBPCG is steepest
/// descent.
int Subspace::add_earlier(int columns, int earlier) {
  const int n = d_ * size_;
  const auto column = [&](HostMatrix& c, int j) { return c.block(0, d_ * j, n, d_); };
  const auto take_out_columns = [&](auto v) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < columns; ++i) {
        const auto c = column(coefficients_, i);
        const Overlap along = c.transpose().lazyProduct(v);
        v -= c.lazyProduct(along);
      }
    }
  };
  auto moved = product_.topLeftCorner(n, d_ * earlier);
  moved.setZero();
  moved.topRows(d_ * earlier_size_) = earlier_.topLeftCorner(d_ * earlier_size_, d_ * earlier);
  double furthest = 0.0;
  for (int j = 0; j < earlier; ++j) {
    take_out_columns(column(product_, j));
    furthest = std::max(furthest, product_.col(d_ * j).head(n).norm());
  }
  for (int j = 0; j < earlier; ++j) {
    const double length = product_.col(d_ * j).head(n).norm();
    if (length < std::max(smallest_part * furthest, rounding)) continue;
    auto v = column(coefficients_, columns);
    v = column(product_, j) / length;
    restore_form(v, d_);
    take_out_columns(v);
    const double own = v.col(0).norm();
    if (own < smallest_part) continue;
    v /= own;
    ++columns;
  }
  return columns;
}

}  // namespace cisolve
