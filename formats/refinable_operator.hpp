#pragma once

#include <memory>

#include "formats/format.hpp"

namespace cisolve {

/// An operator whose off-diagonal elements are in single precision until `refine` puts the same
/// format's operator in double into its place. Until then it keeps the host matrix.
class RefinableOperator final : public LinearOperator {
 public:
  /// Of a format that has `cpu_single` and `cuda_single`, with options that ask for float32. Throws
  /// as make_operator does.
  RefinableOperator(const Format& format, std::shared_ptr<const CsrMatrix> a, Backend& backend,
                    const FormatOptions& options);

  Index rows() const override { return inner_->rows(); }
  Index columns() const override { return inner_->columns(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    inner_->apply(alpha, x, beta, y);
  }
  void diagonal(View d) const override { inner_->diagonal(d); }
  OperatorInfo info() const override;
  /// Releases the arrays in single precision before it takes the others, and makes them again where
  /// those have no room. Throws ResourceError too, and leaves nothing to multiply with, where
  /// someone else took that memory in between.
  bool refine() override;
  double rounding_error() const override { return rounding_error_; }
  void use(const Kernel& kernel) override;
  std::span<const Kernel> kernels() const override { return inner_->kernels(); }
  Kernel effective_kernel(const Kernel& wanted, int vectors) const override {
    return inner_->effective_kernel(wanted, vectors);
  }

 private:
  bool is_single() const { return options_.off_diagonal == Precision::float32; }
  void make_single();

  const Format& format_;
  Backend& backend_;
  FormatOptions options_;               ///< as of the arrays there are
  std::shared_ptr<const CsrMatrix> a_;  ///< null once refined
  double rounding_error_ = 0.0;
  double build_seconds_ = 0.0;  ///< of the arrays in single precision
  std::unique_ptr<LinearOperator> inner_;
};

}  // namespace cisolve
