#pragma once

#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/linear/splitting.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// One number for each column of a block.
using ColumnScalars = std::vector<double>;

/// a_j / b_j; 0 where that is none: a column that is solved exactly stays where it is.
ColumnScalars ratio(const ColumnScalars& a, const ColumnScalars& b);
/// Largest of numbers that are no less than zero; NaN if there is one.
double largest(const ColumnScalars& numbers);

/// S = (A − σ) / 2^u with the part of it that is divided by, for blocks of k vectors; counts its
/// products. u is such that the largest element of the diagonal is from one to two; where zeros on
/// it count as one, that of the diagonal and of S times a random vector.
class LinearSystem {
 public:
  /// Divides by the diagonal of S; throws as Splitting does.
  LinearSystem(const LinearOperator& a, Backend& backend, double shift, ZeroDiagonal zeros);
  /// By these blocks of A minus σ where they lie.
  LinearSystem(const LinearOperator& a, Backend& backend, double shift,
               const DiagonalBlocks& blocks);
  /// With u = 0.
  LinearSystem(const LinearOperator& a, Backend& backend, Splitting splitting);

  Backend& backend() { return backend_; }
  Index rows() const { return a_.rows(); }
  /// Rows over K, of all ranks.
  std::int64_t unknowns() const {
    return backend_.communicator().total(a_.rows()) / a_.components();
  }
  /// u.
  int unit() const { return unit_; }
  /// +1 or −1 where M is definite of that sign, else 0.
  int sign() const { return splitting_.sign(); }
  /// Real numbers of an element.
  int components() const { return a_.components(); }
  /// The number of zeros on the diagonal in whose place others are divided by.
  std::int64_t zeros() const { return splitting_.zeros(); }
  std::int64_t products() const { return products_; }
  /// About the norm of S, from above where the largest eigenvalue of |D|⁻¹S is told.
  double magnitude() const { return magnitude_; }
  void tell_largest_eigenvalue(double of_preconditioned);
  /// One of |D|⁻¹S is as large as that, or larger.
  void see_eigenvalue(double of_preconditioned);
  /// Rounding error of the residual of an x of that norm: ε((‖S‖ + 2|σ|)‖x‖ + ‖b‖).
  double rounding(double norm_of_x, double norm_of_b) const;

  /// Y := SX.
  void apply(ConstView x, View y);
  /// Y := Y + SX.
  void add_product(ConstView x, View y);
  /// R := B − SX.
  void residual(ConstView b, ConstView x, View r);
  /// Z := M⁻¹R.
  void divide(ConstView r, View z) { splitting_.update(1.0, r, 0.0, z); }
  /// Z := |M|⁻¹R.
  void divide_by_magnitude(ConstView r, View z) { splitting_.divide_by_magnitude(r, z); }
  /// r_j := r_j + s_j v_j; then r_jᵀD⁻¹r_j. Without blocks, as the next one.
  ColumnScalars step_residual(const ColumnScalars& s, ConstView v, View r);
  /// x_j := x_j + s_j p_j; then p_j := D⁻¹r_j + t_j p_j.
  void step_along(const ColumnScalars& s, const ColumnScalars& t, ConstView r, View p, View x) {
    splitting_.step_along(s, t, r, p, x);
  }
  /// X := X + ωM⁻¹R.
  void relax(double omega, ConstView r, View x) { splitting_.update(omega, r, 1.0, x); }

  ColumnScalars norms(ConstView x);
  /// x_jᵀy_j.
  ColumnScalars dots(ConstView x, ConstView y);
  /// y_j := y_j + α s_j x_j.
  void add(double alpha, const ColumnScalars& s, ConstView x, View y);
  /// y_j := x_j + s_j y_j.
  void scale_and_add(ConstView x, const ColumnScalars& s, View y);

 private:
  /// D and what is made of it.
  struct Diagonal;
  LinearSystem(const LinearOperator& a, Backend& backend, double shift, Diagonal diagonal,
               ZeroDiagonal zeros);
  LinearSystem(const LinearOperator& a, Backend& backend, double shift, Diagonal diagonal,
               const DiagonalBlocks& blocks);
  void set_unit(int unit, double shift);

  const LinearOperator& a_;
  Backend& backend_;
  int unit_ = 0;
  double scale_of_a_ = 1.0;  ///< 2^−u
  double shift_ = 0.0;       ///< σ / 2^u
  double magnitude_;
  Splitting splitting_;
  HostMatrix scale_;
  std::int64_t products_ = 0;
};

}  // namespace cisolve
