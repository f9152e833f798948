#pragma once

#include <vector>

#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// M ≈ |A − σ|, symmetric and positive definite, in every sector:
///   M = U max(|E − σ|, δ) Uᵀ over P, A_PP = U E Uᵀ;  M_ii = max(A_ii − σ, δ) elsewhere,
/// δ a small part of the diagonal's spread, and never zero.
class Metric {
 public:
  Metric(Workspace& work, double sigma);

  /// U := M^½U in every sector; vectors side by side, n × k.
  void multiply_by_root(View u);
  /// T := M⁻¹R, of one sector's rows; T may be R.
  void divide(int sector, ConstView r, View t);

  /// Bounds of M's eigenvalues.
  double largest() const { return largest_; }
  double smallest() const { return smallest_; }

 private:
  /// `divide` will divide by M^p.
  void divide_by(Power p);

  Workspace& work_;
  double sigma_;
  std::vector<HostMatrix> levels_;  ///< of M over P, of every sector
  double least_ = 0.0;              ///< δ
  double largest_ = 0.0, smallest_ = 0.0;
  MultiVector device_diagonal_;             ///< −M^p where it is diagonal
  std::vector<MultiVector> device_levels_;  ///< −M^p over P
};

}  // namespace cisolve
