#pragma once

#include "backends/backend.hpp"
#include "core/dense.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {

/// An orthonormal basis V (n × m, m growing to a limit), its images W = AV, and H = VᵀAV.
/// Memory: 2·limit + restart vectors of n.
class Subspace {
 public:
  Subspace(Backend& backend, Index rows, int limit, int largest_restart);

  int size() const { return size_; }
  int limit() const { return basis_.columns(); }
  ConstView basis() const { return basis_.slice(0, size_); }
  ConstView images() const { return images_.slice(0, size_); }

  /// V ← [V T], W ← [W AT], H grows by VᵀAT; T orthonormal and orthogonal to V.
  void append(ConstView t, ConstView at);

  /// False once a product brought NaN or infinity.
  bool finite() const { return projection_.topLeftCorner(size_, size_).allFinite(); }

  /// The `count` lowest eigenpairs of H: Ritz values θ and coefficients S (m × count).
  SymmetricEigen ritz(int count) const;

  /// V ← VC, W ← WC, H ← CᵀHC for C (m × l) with orthonormal columns.
  void restart(const HostMatrix& c);

 private:
  void recombine(MultiVector& block, const HostMatrix& c);

  Backend& backend_;
  MultiVector basis_, images_, scratch_;
  HostMatrix projection_;
  int size_ = 0;
};

}  // namespace cisolve
