#pragma once

#include "backends/backend.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"
#include "solvers/eigen/steps/orthonormalize.hpp"

namespace cisolve {

/// An orthonormal basis V (n × m, m growing to a limit), its images W = AV, H = VᵀAV, and the Ritz
/// pairs HS = SΘ. The memory of V and W is the caller's: n × limit each; all else is taken at the
/// beginning, so that nothing is allocated as the basis grows and restarts.
///
/// An iteration with k new vectors, of n·m basis elements in V: `append` reads V once and k-blocks
/// five times, `residuals` V and W once, each pass of `orthonormalize` V twice: 7 · 8nm bytes at
/// two passes, of which one may do, and about 20 · 8nk. On a device that is 2 copies, 2 + 2 + 2 ·
/// 3 kernels, and 4 waits for the host: H, the norms, and C with G of each pass. The preconditioner
/// adds 8 kernels, 2 · 8p² bytes for P of p rows, and no wait; products have none either.
class Subspace {
 public:
  Subspace(Backend& backend, View basis, View images);

  int size() const { return size_; }
  int limit() const { return basis_.columns; }
  /// Vectors the memory can still take.
  int room() const { return limit() - size_; }
  ConstView basis() const { return basis_.slice(0, size_); }

  /// V ← [V T], W ← [W AT], H grows by VᵀAT; T orthonormal and orthogonal to V. False, and the Ritz
  /// pairs stay, when H now holds NaN or infinity.
  bool append(ConstView t, ConstView at);

  /// T made orthonormal, and orthogonal to V, in place, as by Orthonormalizer; what is left of it.
  int orthonormalize(View t) { return orthonormalize_(basis(), t); }

  /// Θ, ascending, `size()` of them as after the last `append` or `restart`.
  Eigen::Map<const HostVector> values() const { return ritz_.values(); }

  /// X := VS of the first k pairs, X n × k.
  void vectors(View x) const;

  /// x := V s_j; n × 1.
  void vector(int j, View x) const;

  /// x := V s_j, y := W s_j, the image of x; n × 1.
  void vector_and_image(int j, View x, View y) const;

  /// R := WS − VSΘ of the first k pairs, R n × k, and its columns' norms.
  void residuals(View r, std::span<double> norms) const;

  /// Thick restart: V becomes the first `count` Ritz vectors and, made orthogonal to them, those of
  /// the iteration before with the numbers `earlier` (GD+k; Stathopoulos, McCombs, SIAM J. Sci.
  /// Comput. 2007, 29, 2162).
  void restart(int count, int earlier);

  /// The first `count` Ritz vectors of the iteration before, those that a restart may keep, as
  /// coefficients of those of now; fewer columns where there are fewer, none after a restart. Over
  /// K in the real form, as `take_earlier` takes them.
  HostMatrix earlier(int count) const;
  /// Those of an earlier solve as coefficients of V, size × count.
  void take_earlier(const HostMatrix& c);

  /// V := none.
  void clear();

 private:
  void solve_projected();
  int add_earlier(int columns, int earlier);

  /// The real form's columns of the first pairs.
  ConstHostRef ritz(int first, int count) const {
    return ritz_.vectors().middleCols(d_ * first, d_ * count);
  }

  Backend& backend_;
  int d_;  ///< components; the small matrices are real ones, d rows and columns for one
  View basis_, images_;
  HostMatrix projection_;  ///< H
  SymmetricEigensolver ritz_;
  HostMatrix earlier_;       ///< S before the last append
  int earlier_size_ = 0;     ///< of which this many, none after a restart
  HostMatrix coefficients_;  ///< of the vectors kept by a restart, and of VᵀAT
  HostMatrix product_;
  Orthonormalizer orthonormalize_;
  int size_ = 0;
};

}  // namespace cisolve
