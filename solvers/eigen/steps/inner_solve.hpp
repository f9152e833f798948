#pragma once

#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/inner_block.hpp"

namespace cisolve {

/// Corrections by an InnerBlock A_SS, in the rows S that its elements stand for in one sector:
///   t_S := (θ − A_SS)⁻¹ r_S,
/// exactly along the eigenvectors X of A_SS that are known, and by conjugate gradients with its
/// diagonal as preconditioner in the rest, where A_SS − θ is positive definite: the lowest Ritz
/// values of a space that holds X are at most the energies of X.
///
/// Traffic: a product with A_SS a step and column, and a dozen vectors of S.
class InnerSolve {
 public:
  /// `part`: of the block's, rows in the numbering of the vectors to come; `columns`: the most
  /// these have. `block` is kept by reference.
  InnerSolve(Backend& backend, const InnerBlock& block, const InnerBlock::Part& part, int columns);

  /// Solves for R, n × k; θ has k entries. Denominators are those of −|M|⁻¹, which V loses nothing
  /// by where it holds the lower states already, and held away from zero by `guard`.
  void solve(std::span<const double> theta, double guard, ConstView r);
  /// T := the solution in the rows S; the others stay.
  void put(View t);

  /// Products with A_SS so far, a block of k counting k.
  std::int64_t applications() const { return applications_; }

 private:
  /// V := V − X Xᵀ V.
  void project(View v);
  /// Z := −|θ − D|⁻¹R, made orthogonal to X.
  void precondition(std::span<const double> theta, double guard, ConstView r, View z);
  /// T := the solution of (θ − A_SS) T = R, R orthogonal to X and overwritten by its residual.
  void conjugate_gradients(std::span<const double> theta, double guard, View r, View t);

  Backend& backend_;
  const InnerBlock& block_;
  Buffer<Index> rows_;  ///< r(d)
  MultiVector one_over_factors_;
  Buffer<Index> own_rows_;  ///< S, each row once
  Buffer<Index> elements_;  ///< of each of S an element that stands for it
  MultiVector factors_;     ///< of these
  MultiVector states_;      ///< X
  MultiVector diagonal_;    ///< of A_SS
  MultiVector residuals_, solutions_, directions_, images_, preconditioned_;
  HostMatrix overlaps_;
  std::int64_t applications_ = 0;
};

}  // namespace cisolve
