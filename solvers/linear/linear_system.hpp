#pragma once

#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "core/host_matrix.hpp"
#include "solvers/linear/splitting.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// One number for each column of a block.
using ColumnScalars = std::vector<double>;

/// a_j / b_j; 0 where b_j is: a column that is solved exactly stays where it is.
ColumnScalars ratio(const ColumnScalars& a, const ColumnScalars& b);

/// S = A − σ with the part of it that is divided by, for blocks of k vectors; counts its products.
class LinearSystem {
 public:
  /// Divides by the diagonal of S; throws as Splitting does.
  LinearSystem(const LinearOperator& a, Backend& backend, double shift);
  /// By these blocks of A minus σ where they lie.
  LinearSystem(const LinearOperator& a, Backend& backend, double shift,
               const DiagonalBlocks& blocks);
  LinearSystem(const LinearOperator& a, Backend& backend, double shift, Splitting splitting);

  Backend& backend() { return backend_; }
  Index rows() const { return a_.rows(); }
  /// +1 or −1 where M is definite of that sign, else 0.
  int sign() const { return splitting_.sign(); }
  std::int64_t products() const { return products_; }

  /// Y := SX.
  void apply(ConstView x, View y);
  /// R := B − SX.
  void residual(ConstView b, ConstView x, View r);
  /// Z := M⁻¹R.
  void divide(ConstView r, View z) { splitting_.divide(r, z); }
  /// Z := |M|⁻¹R.
  void divide_by_magnitude(ConstView r, View z) { splitting_.divide_by_magnitude(r, z); }
  /// X := X + ωM⁻¹R.
  void relax(double omega, ConstView r, View x) { splitting_.add(omega, r, x); }

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
  Splitting splitting_;
  HostMatrix scale_;
  std::int64_t products_ = 0;
};

}  // namespace cisolve
