#pragma once

#include <memory>

#include "formats/format.hpp"
#include "spmv/forwarding_operator.hpp"

namespace cisolve {

/// An operator whose off-diagonal elements are in single precision until `to_double_precision` puts
/// the same format's operator in double into its place. Until then it keeps the host matrix.
class MixedPrecisionOperator final : public ForwardingOperator {
 public:
  /// Operator in a format that has `cpu_single` and `cuda_single`, with options that ask for
  /// float32. Throws as make_operator does.
  MixedPrecisionOperator(const Format& format, std::shared_ptr<const CsrMatrix> a, Backend& backend,
                         const FormatOptions& options);

  OperatorInfo info() const override;
  /// Releases the arrays in single precision before it takes the others, and makes them again where
  /// those have no room. Throws ResourceError too, and leaves nothing to multiply with, where
  /// someone else took that memory in between.
  bool to_double_precision() override;
  double rounding_error() const override { return rounding_error_; }
  void use(const KernelSettings& kernel) override;

 private:
  LinearOperator& inner() const override { return *inner_; }
  bool is_single() const { return options_.off_diagonal == Precision::float32; }
  void make_single();

  const Format& format_;
  Backend& backend_;
  FormatOptions options_;               ///< as of the arrays there are
  std::shared_ptr<const CsrMatrix> a_;  ///< null once in double
  double rounding_error_ = 0.0;
  double build_seconds_ = 0.0;  ///< of the arrays in single precision
  std::unique_ptr<LinearOperator> inner_;
};

}  // namespace cisolve
