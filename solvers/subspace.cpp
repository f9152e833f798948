#include "solvers/subspace.hpp"

#include <algorithm>

namespace cisolve {

Subspace::Subspace(Backend& backend, View basis, View images)
    : backend_(backend),
      basis_(basis),
      images_(images),
      projection_(HostMatrix::Zero(basis.columns, basis.columns)) {}

bool Subspace::append(ConstView t, ConstView at) {
  const int added = t.columns;
  if (added == 0) return true;
  backend_.copy(t, basis_.slice(size_, added));
  backend_.copy(at, images_.slice(size_, added));
  HostMatrix columns;
  backend_.gram(basis_.slice(0, size_ + added), at, columns);  // VᵀAT
  if (!columns.allFinite()) return false;
  size_ += added;
  projection_.block(0, size_ - added, size_, added) = columns;
  projection_.block(size_ - added, 0, added, size_) = columns.transpose();
  earlier_ = std::move(ritz_.vectors);
  ritz_ = symmetric_eigen(projection_.topLeftCorner(size_, size_));
  return true;
}

void Subspace::vectors(View x) const {
  const HostMatrix s = ritz_.vectors.leftCols(x.columns);
  backend_.combine(1.0, basis(), s, 0.0, x);
}

void Subspace::vector(int j, View x) const {
  const HostMatrix s = ritz_.vectors.col(j);
  backend_.combine(1.0, basis(), s, 0.0, x);
}

void Subspace::vector_and_image(int j, View x, View y) const {
  const HostMatrix s = ritz_.vectors.col(j);
  backend_.combine(1.0, basis(), s, 0.0, x);
  backend_.combine(1.0, images_.slice(0, size_), s, 0.0, y);
}

void Subspace::residuals(View r) const {
  const HostMatrix s = ritz_.vectors.leftCols(r.columns);
  const HostMatrix s_theta = s * ritz_.values.head(r.columns).asDiagonal();
  backend_.combine(1.0, images_.slice(0, size_), s, 0.0, r);
  backend_.combine(-1.0, basis(), s_theta, 1.0, r);
}

void Subspace::restart(int ritz, int earlier) {
  HostMatrix c = ritz_.vectors.leftCols(ritz);
  earlier = std::min<int>(earlier, static_cast<int>(earlier_.cols()));
  for (int j = 0; j < earlier; ++j) {
    HostVector v = HostVector::Zero(size_);
    v.head(earlier_.rows()) = earlier_.col(j);
    for (int pass = 0; pass < 2; ++pass) v -= c * (c.transpose() * v);
    if (v.norm() < 1e-6) continue;
    c.conservativeResize(size_, c.cols() + 1);
    c.col(c.cols() - 1) = v.normalized();
  }
  backend_.recombine(basis_.slice(0, size_), c);
  backend_.recombine(images_.slice(0, size_), c);
  const HostMatrix h = c.transpose() * projection_.topLeftCorner(size_, size_) * c;
  earlier_.resize(0, 0);  // they were coefficients in the basis that is gone
  size_ = static_cast<int>(c.cols());
  projection_.topLeftCorner(size_, size_) = 0.5 * (h + h.transpose());
  ritz_ = symmetric_eigen(projection_.topLeftCorner(size_, size_));
}

void Subspace::clear() {
  size_ = 0;
  ritz_ = {};
  earlier_.resize(0, 0);
}

}  // namespace cisolve
