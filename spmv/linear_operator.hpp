#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "backends/view.hpp"
#include "core/types.hpp"
#include "spmv/kernel_settings.hpp"

namespace cisolve {

/// Shape and costs of an operator.
struct OperatorInfo {
  std::string format;
  bool stored = true;          ///< the elements are; else there are products alone
  Offset nonzeros = 0;         ///< entries of the matrix, padding not counted
  int components = 0;          ///< real numbers of such an entry; 0: those of the operator
  Offset padding = 0;          ///< stored entries that are no entries of the matrix
  std::size_t bytes = 0;       ///< stored for the matrix
  std::size_t scratch = 0;     ///< held beside that for products, from the beginning
  double build_seconds = 0.0;  ///< conversion and transfer
  std::string layout;          ///< the format's own words: "boundary 384 by count", say
};

/// OperatorInfo of products without a matrix, over tables and beside scratch of so many bytes.
inline OperatorInfo info_without_matrix(std::size_t bytes, std::size_t scratch = 0) {
  OperatorInfo info;
  info.format = "direct";
  info.stored = false;
  info.bytes = bytes;
  info.scratch = scratch;
  return info;
}

/// A matrix resident on a backend, in some storage format.
class LinearOperator {
 public:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;
  virtual ~LinearOperator() = default;

  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  /// Real numbers of an element: 1, of a complex matrix 2, of quaternions 4. An n × n matrix over
  /// such elements is this operator over vectors of real numbers, those of an element one behind
  /// another: rows() and columns() are components() · n.
  virtual int components() const { return 1; }
  /// Y := αAX + βY for a block of k ≥ 1 vectors; X is columns() × k, Y is rows() × k, both in the
  /// backend's memory, not overlapping; β = 0 ignores what Y held (NaN too).
  virtual void apply(double alpha, ConstView x, double beta, View y) const = 0;
  /// d_i := A_ii (0 where nothing is stored); d is rows() × 1.
  virtual void diagonal(View d) const = 0;
  virtual OperatorInfo info() const = 0;

  /// From now on products are with the matrix in double. True where they were not before: an
  /// operator made with FormatOptions::off_diagonal float32, at the first call; it is the same
  /// object as before, with other arrays, and info() tells of those. Takes as long as making the
  /// operator did. Throws ResourceError (needed and free bytes) where they have no room: products
  /// then are as before, and it may be called again when there is more.
  ///
  /// For a solver: products until then are with Â, and a residual r = θx − Âx of unit x is within
  /// rounding_error() of that with A. Residuals above it are as good as in double; a solver changes
  /// before they come down to it, then multiplies its Ritz vectors anew, for the images of its
  /// basis are Â's, and goes on. Without it a result is never to count as converged.
  virtual bool to_double_precision() { return false; }
  /// A bound of ‖(A − Â)x‖₂ for unit x, where products are with Â and A is the matrix in double,
  /// both symmetric: max_i Σ_j |a_ij − â_ij|, for ‖E‖₂ ≤ ‖E‖_∞ then (Gershgorin). At most 2⁻²⁴
  /// max_i Σ_{j≠i} |a_ij|, but for elements below 2⁻¹²⁶, which are off by up to 2⁻¹⁵⁰. 0 where
  /// products are in double; the rounding of their sums is not in it.
  virtual double rounding_error() const { return 0.0; }

  /// Makes products by this kernel from now on; a format without that choice ignores it.
  virtual void use(const KernelSettings&) {}
  /// The kernels worth trying when tuning; empty where there is no choice.
  virtual std::span<const KernelSettings> kernels() const { return {}; }
  /// Kernel that `wanted` becomes for blocks of that many vectors (of their widest piece, if a
  /// block is worked in several): open settings chosen, too large ones cut, those that the format
  /// does not read left out. Equal ones are the same kernel.
  virtual KernelSettings effective_kernel(const KernelSettings& wanted, int /*vectors*/) const {
    return wanted;
  }
};

}  // namespace cisolve
