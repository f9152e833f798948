#pragma once

#include "backends/backend.hpp"
#include "core/dense.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {

/// An orthonormal basis V (n × m, m growing to a limit), its images W = AV, H = VᵀAV, and the Ritz
/// pairs HS = SΘ. The memory of V and W is the caller's: n × limit each.
class Subspace {
 public:
  Subspace(Backend& backend, View basis, View images);

  Index rows() const { return basis_.rows; }
  int size() const { return size_; }
  int limit() const { return basis_.columns; }
  /// Vectors the basis can still take.
  int room() const { return std::min<int>(limit(), rows()) - size_; }
  ConstView basis() const { return basis_.slice(0, size_); }

  /// V ← [V T], W ← [W AT], H grows by VᵀAT; T orthonormal and orthogonal to V. False, and the Ritz
  /// pairs stay, when H now holds NaN or infinity.
  bool append(ConstView t, ConstView at);

  /// Θ, ascending, `size()` of them as after the last `append` or `restart`.
  const HostVector& values() const { return ritz_.values; }

  /// X := VS of the first k pairs, X n × k.
  void vectors(View x) const;

  /// x := V s_j; n × 1.
  void vector(int j, View x) const;

  /// x := V s_j, y := W s_j, the image of x; n × 1.
  void vector_and_image(int j, View x, View y) const;

  /// R := WS − VSΘ of the first k pairs, R n × k.
  void residuals(View r) const;

  /// Thick restart: V becomes the first `ritz` Ritz vectors and, made orthogonal to them, those of
  /// the iteration before with the numbers `earlier` (GD+k; Stathopoulos, McCombs, SIAM J. Sci.
  /// Comput. 2007, 29, 2162).
  void restart(int ritz, int earlier);

  /// V := none.
  void clear();

 private:
  Backend& backend_;
  View basis_, images_;
  HostMatrix projection_;
  SymmetricEigen ritz_;
  HostMatrix earlier_;  ///< S before the last append, none after a restart
  int size_ = 0;
};

}  // namespace cisolve
