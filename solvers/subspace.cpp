#include "solvers/subspace.hpp"

namespace cisolve {

Subspace::Subspace(Backend& backend, Index rows, int limit, int largest_restart)
    : backend_(backend),
      basis_(backend, rows, limit),
      images_(backend, rows, limit),
      scratch_(backend, rows, largest_restart),
      projection_(HostMatrix::Zero(limit, limit)) {}

void Subspace::append(ConstView t, ConstView at) {
  const int added = t.columns;
  backend_.copy(t, basis_.slice(size_, added));
  backend_.copy(at, images_.slice(size_, added));
  size_ += added;
  HostMatrix columns;
  backend_.gram(basis(), at, columns);  // VᵀAT
  projection_.block(0, size_ - added, size_, added) = columns;
  projection_.block(size_ - added, 0, added, size_) = columns.transpose();
}

SymmetricEigen Subspace::ritz(int count) const {
  return symmetric_eigen(projection_.topLeftCorner(size_, size_), count);
}

void Subspace::restart(const HostMatrix& c) {
  recombine(basis_, c);
  recombine(images_, c);
  const HostMatrix h = c.transpose() * projection_.topLeftCorner(size_, size_) * c;
  size_ = static_cast<int>(c.cols());
  projection_.topLeftCorner(size_, size_) = 0.5 * (h + h.transpose());
}

void Subspace::recombine(MultiVector& block, const HostMatrix& c) {
  const int kept = static_cast<int>(c.cols());
  backend_.combine(1.0, block.slice(0, size_), c, 0.0, scratch_.packed(kept));
  backend_.copy(scratch_.packed(kept), block.slice(0, kept));
}

}  // namespace cisolve
