#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backends/view.hpp"
#include "core/types.hpp"
#include "spmv/kernel.hpp"

namespace cisolve {

/// What an operator is and costs.
struct OperatorInfo {
  std::string format;
  Offset nonzeros = 0;         ///< entries of the matrix, padding not counted
  Offset padding = 0;          ///< stored entries that are no entries of the matrix
  std::size_t bytes = 0;       ///< stored for the matrix
  double build_seconds = 0.0;  ///< conversion and transfer
  std::string layout;          ///< the format's own words: "boundary 384 by count", say
};

/// A matrix resident on a backend, in some storage format.
class LinearOperator {
 public:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;
  virtual ~LinearOperator() = default;

  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  /// Y := αAX + βY for a block of k ≥ 1 vectors; X is columns() × k, Y is rows() × k, both in the
  /// backend's memory, not overlapping; β = 0 ignores what Y held (NaN too).
  virtual void apply(double alpha, ConstView x, double beta, View y) const = 0;
  /// d_i := A_ii (0 where nothing is stored); d is rows() × 1.
  virtual void diagonal(View d) const = 0;
  virtual OperatorInfo info() const = 0;

  /// Makes products by this kernel from now on; a format without that choice ignores it.
  virtual void use(const Kernel&) {}
  /// The kernels worth trying when tuning; empty where there is no choice.
  virtual std::span<const Kernel> kernels() const { return {}; }
  /// What `wanted` comes to for blocks of that many vectors (of their widest piece, where a block
  /// is worked in several): what is left open chosen, what is too large cut, what the format does
  /// not read left out. Equal ones are the same kernel.
  virtual Kernel effective_kernel(const Kernel& wanted, int /*vectors*/) const { return wanted; }
};

}  // namespace cisolve
