#include "solvers/preconditioner.hpp"

#include "backends/correction.hpp"

namespace cisolve {

Preconditioner::Preconditioner(Backend& backend, std::span<const Index> rows,
                               const HostMatrix& matrix, ConstView diagonal, int columns)
    : backend_(backend), diagonal_(diagonal) {
  if (rows.empty()) return;
  const SymmetricEigen eigen = symmetric_eigen(matrix);
  const auto np = static_cast<Index>(rows.size());
  levels_ = eigen.values;
  vectors_ = MultiVector(backend, np, np);
  backend.upload(eigen.vectors, vectors_.view());
  rows_ = Buffer<Index>::from_host(backend, rows);
  block_ = MultiVector(backend, np, columns);
}

void Preconditioner::apply(std::span<const double> theta, double smallest_denominator, View t) {
  const bool has_p = levels_.size() > 0;
  const View block = has_p ? block_.packed(t.columns) : View{};
  if (has_p) backend_.gather_rows(rows_, t, block);
  backend_.diagonal_correction(t, theta, diagonal_, smallest_denominator, t);
  if (!has_p) return;
  backend_.gram(vectors_.view(), block, coefficients_);  // Uᵀ r_P
  for (Eigen::Index e = 0; e < coefficients_.rows(); ++e) {
    for (int j = 0; j < t.columns; ++j) {
      coefficients_(e, j) /= guarded_difference(theta[j], levels_[e], smallest_denominator);
    }
  }
  backend_.combine(1.0, vectors_.view(), coefficients_, 0.0, block);
  backend_.scatter_rows(rows_, block, t);
}

void Preconditioner::eigenvectors(int first, View y) {
  backend_.fill(0.0, y);
  backend_.scatter_rows(rows_, vectors_.slice(first, y.columns), y);
}

}  // namespace cisolve
