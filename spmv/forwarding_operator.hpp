#pragma once

#include "spmv/linear_operator.hpp"

namespace cisolve {

/// An operator around another one, which answers for it. What stands around overrides what it does
/// otherwise.
class ForwardingOperator : public LinearOperator {
 public:
  Index rows() const override { return inner().rows(); }
  Index columns() const override { return inner().columns(); }
  void apply(double alpha, ConstView x, double beta, View y) const override {
    inner().apply(alpha, x, beta, y);
  }
  void diagonal(View d) const override { inner().diagonal(d); }
  OperatorInfo info() const override { return inner().info(); }
  bool refine() override { return inner().refine(); }
  double rounding_error() const override { return inner().rounding_error(); }
  void use(const Kernel& kernel) override { inner().use(kernel); }
  std::span<const Kernel> kernels() const override { return inner().kernels(); }
  Kernel effective_kernel(const Kernel& wanted, int vectors) const override {
    return inner().effective_kernel(wanted, vectors);
  }

 protected:
  virtual LinearOperator& inner() const = 0;
};

}  // namespace cisolve
