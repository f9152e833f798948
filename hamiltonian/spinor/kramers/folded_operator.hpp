#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "hamiltonian/spinor/kramers/kramers_pairs.hpp"
#include "spmv/forwarding_operator.hpp"

namespace cisolve {

/// The matrix of quaternions over Kramers pairs, given the complex one A over all determinants,
/// which commutes with time reversal: Qv = Pᵀ A P v, P what `unfold` makes of a vector's numbers, a
/// permutation with signs. For products without a matrix, which take as long for one vector over
/// the quaternions as for one over the complex numbers, and these are half as many. Vectors are
/// multiplied one by one; bytes: ten vectors.
class FoldedOperator final : public ForwardingOperator {
 public:
  /// The backend must outlive it.
  FoldedOperator(std::unique_ptr<LinearOperator> a, const KramersPairs& pairs, Backend& backend);

  int components() const override { return 4; }
  void apply(double alpha, ConstView x, double beta, View y) const override;
  void diagonal(View d) const override;

  OperatorInfo info() const override {
    OperatorInfo info = a_->info();
    info.scratch += scratch_bytes(rows());
    return info;
  }

  static std::size_t scratch_bytes(Index rows) { return 10 * sizeof(double) * std::size_t(rows); }

 protected:
  LinearOperator& inner() const override { return *a_; }

 private:
  /// Rows of a vector by those of another, and their signs.
  struct Turn {
    Buffer<Index> rows;
    MultiVector signs;
  };
  /// Conversion that unfolds vectors, or folds them.
  Turn on_backend(const KramersPairs& pairs, bool unfolds) const;
  /// y := α (x turned) + βy; n × 1.
  void turn(double alpha, const Turn& by, ConstView x, double beta, View y) const;

  std::unique_ptr<LinearOperator> a_;
  Backend& backend_;
  Turn unfolded_, folded_;
  mutable MultiVector psi_, image_, turned_;
};

}  // namespace cisolve
