#pragma once

#include <memory>
#include <vector>

#include "backends/backend.hpp"
#include "spmv/forwarding_operator.hpp"

namespace cisolve {

/// The matrix Q of quaternions over Kramers pairs, given the complex one A of KramersMatrixBuilder
/// in any format. With v_J = p_J + q_J j, p and q complex,
///
///     (Qv)_I = Σ_J A_I,2J (p_J + q_J j) + A_I,2J+1 (q_J* − p_J* j),
///
/// since A j v = A (−q* + p* j): a product of A with two complex vectors, (p, q) in the rows 2J and
/// (q*, −p*) in the rows 2J + 1. It takes as many multiplications as H with one complex vector, and
/// reads half the elements. Up to four vectors are multiplied at once, in three times their memory.
class KramersOperator final : public ForwardingOperator {
 public:
  /// `diagonal`: Q_II. Products are with `columns` vectors, mostly. The backend must outlive it.
  KramersOperator(std::unique_ptr<LinearOperator> a, const std::vector<double>& diagonal,
                  Backend& backend, int columns);

  Index rows() const override { return 2 * a_->rows(); }
  int components() const override { return 4; }
  void apply(double alpha, ConstView x, double beta, View y) const override;
  void diagonal(View d) const override { backend_.copy(diagonal_.view(), d); }
  OperatorInfo info() const override;
  KernelSettings effective_kernel(const KernelSettings& wanted, int vectors) const override {
    return a_->effective_kernel(wanted, 2 * std::min(vectors, width_));
  }

  /// Bytes held for products with so many vectors of `rows` real numbers.
  static std::size_t scratch_bytes(Index rows, int columns);

 protected:
  LinearOperator& inner() const override { return *a_; }

 private:
  std::unique_ptr<LinearOperator> a_;
  Backend& backend_;
  int width_;                           ///< vectors at once
  MultiVector diagonal_;                ///< of every real row
  mutable MultiVector pairs_, images_;  ///< what A is multiplied with, and what comes of it
};

}  // namespace cisolve
