#pragma once

#include "spmv/linear_operator.hpp"

namespace cisolve {

/// An operator around another one, which answers for it. Derived classes override the answers that
/// differ.
class ForwardingOperator : public LinearOperator {
 public:
  Index rows() const override { return inner().rows(); }
  Index columns() const override { return inner().columns(); }
  int components() const override { return inner().components(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    inner().apply(alpha, x, beta, y);
  }
  void diagonal(View d) const override { inner().diagonal(d); }
  OperatorInfo info() const override { return inner().info(); }
  bool to_double_precision() override { return inner().to_double_precision(); }
  double rounding_error() const override { return inner().rounding_error(); }
  void use(const KernelSettings& kernel) override { inner().use(kernel); }
  std::span<const KernelSettings> kernels() const override { return inner().kernels(); }
  KernelSettings effective_kernel(const KernelSettings& wanted, int vectors) const override {
    return inner().effective_kernel(wanted, vectors);
  }

 protected:
  virtual LinearOperator& inner() const = 0;
};

}  // namespace cisolve
