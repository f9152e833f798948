#include "solvers/eigen/steps/preconditioner.hpp"

#include "backends/ranks/agree.hpp"
#include "core/dense/field_matrix.hpp"

namespace cisolve {
namespace {

/// Columns of the real form (j, e_q), d neighbours for each eigenvector, brought into the order
/// (e_q, j): the eigenvectors themselves first.
void by_units(HostMatrix& vectors, int d) {
  if (d == 1) return;
  const Eigen::Index count = vectors.cols() / d;
  const HostMatrix from = vectors;
  for (Eigen::Index j = 0; j < count; ++j) {
    for (int q = 0; q < d; ++q) vectors.col(q * count + j) = from.col(d * j + q);
  }
}

}  // namespace

Preconditioner::Preconditioner(Backend& backend, std::span<const Index> rows,
                               const HostMatrix& matrix, std::span<const Index> own,
                               ConstView diagonal, int columns)
    : backend_(backend), diagonal_(diagonal) {
  if (matrix.rows() == 0) return;
  SymmetricEigen eigen = field_eigen(matrix, backend.components());
  agree(backend.communicator(), eigen);
  by_units(eigen.vectors, backend.components());
  const auto np = static_cast<Index>(matrix.rows()), here = static_cast<Index>(rows.size());
  levels_ = eigen.values;
  vectors_ = MultiVector(backend, here, np);
  backend.upload(here == np ? eigen.vectors : HostMatrix(eigen.vectors(own, Eigen::all)),
                 vectors_.view());
  rows_ = Buffer<Index>::from_host(backend, rows);
  block_ = MultiVector(backend, here, columns);
  coefficients_ = MultiVector(backend, np, columns);
  device_levels_ = MultiVector(backend, np, 1);
  backend.upload(levels_.replicate(backend.components(), 1), device_levels_.view());
}

void Preconditioner::apply(std::span<const double> theta, Denominator kind,
                           double smallest_denominator, View t) {
  apply(theta, kind, smallest_denominator, diagonal_, device_levels_.view(), t, t);
}

void Preconditioner::correct(std::span<const double> theta, Denominator kind,
                             double smallest_denominator, View t) {
  if (inner_) inner_->solve(theta, smallest_denominator, t);
  apply(theta, kind, smallest_denominator, t);
  if (inner_) inner_->put(t);
}

void Preconditioner::divide(ConstView diagonal, ConstView levels, ConstView r, View t) {
  zeros_.assign(t.columns, 0.0);
  apply(zeros_, Denominator::difference, 0.0, diagonal, levels, r, t);
}

void Preconditioner::apply(std::span<const double> theta, Denominator kind,
                           double smallest_denominator, ConstView diagonal, ConstView levels,
                           ConstView r, View t) {
  if (levels_.size() == 0) {
    return backend_.diagonal_correction(r, theta, diagonal, kind, smallest_denominator, t);
  }
  const View block = block_.narrowed(t.columns), coefficients = coefficients_.narrowed(t.columns);
  backend_.gather_rows(rows_, r, block);
  backend_.diagonal_correction(r, theta, diagonal, kind, smallest_denominator, t);
  backend_.gram(vectors_.view(), block, coefficients);  // Uᵀ r_P
  backend_.diagonal_correction(coefficients, theta, levels, kind, smallest_denominator,
                               coefficients);
  backend_.combine(vectors_.view(), coefficients, block);
  backend_.scatter_rows(rows_, block, t);
}

void Preconditioner::eigenvectors(int first, View y) {
  backend_.fill(0.0, y);
  backend_.scatter_rows(rows_, vectors_.slice(first, y.columns), y);
}

}  // namespace cisolve
