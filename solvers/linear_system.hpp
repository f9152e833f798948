#pragma once

#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// One number for each column of a block.
using ColumnScalars = std::vector<double>;

/// a_j / b_j; 0 where b_j is: a column that is solved exactly stays where it is.
ColumnScalars ratio(const ColumnScalars& a, const ColumnScalars& b);

/// S = A − σ with its diagonal D, for blocks of k vectors; counts its products.
class LinearSystem {
 public:
  /// Throws InputError naming the first row whose D is zero, infinite or NaN.
  LinearSystem(const LinearOperator& a, Backend& backend, double shift);
  /// With another D than the diagonal, n × 1.
  LinearSystem(const LinearOperator& a, Backend& backend, double shift, const HostMatrix& d);

  Backend& backend() { return backend_; }
  Index rows() const { return a_.rows(); }
  /// +1 or −1 where all of D has that sign, else 0.
  int sign() const { return sign_; }
  std::int64_t products() const { return products_; }

  /// Y := SX.
  void apply(ConstView x, View y);
  /// R := B − SX.
  void residual(ConstView b, ConstView x, View r);
  /// Z := D⁻¹R.
  void divide(ConstView r, View z);
  /// Z := |D|⁻¹R.
  void divide_by_magnitude(ConstView r, View z);
  /// X := X + ωD⁻¹R.
  void relax(double omega, ConstView r, View x);

  ColumnScalars norms(ConstView x);
  /// x_jᵀy_j.
  ColumnScalars dots(ConstView x, ConstView y);
  /// y_j := y_j + α s_j x_j.
  void add(double alpha, const ColumnScalars& s, ConstView x, View y);
  /// y_j := x_j + s_j y_j.
  void scale_and_add(ConstView x, const ColumnScalars& s, View y);

 private:
  const LinearOperator& a_;
  Backend& backend_;
  double shift_;
  int sign_ = 0;
  MultiVector d_, magnitude_;
  HostMatrix dots_, scale_;
  std::int64_t products_ = 0;
};

}  // namespace cisolve
