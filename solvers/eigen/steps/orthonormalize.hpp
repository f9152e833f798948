#pragma once

#include "backends/backend.hpp"
#include "core/dense/dense.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// Makes a block T (n × k) orthonormal, among itself and to an orthonormal basis V (n × m), in
/// place. A pass goes over V and T twice and waits once:
///   C = VᵀT, G = TᵀT;  T ← (T − VC)B,  B = SDUΛ^-½,  DS(G − CᵀC)SD = UΛUᵀ, the diagonal S scaling
///   T, and D what is left of it, to length one
/// (SVQB; Stathopoulos, Wu, SIAM J. Sci. Comput. 2002, 23, 2165; with the Gram matrix of T − VC by
/// Pythagoras: Carson, Lund, Rozložník, SIAM J. Matrix Anal. Appl. 2021, 42, 1365), repeated until
/// a pass had next to nothing to remove: twice, but once where enough is left of T that rounding is
/// not enlarged by much. If G − CᵀC cancels, a pass only projects and the next one measures the
/// remainder. Directions that lie in V or depend on others to 1e-7 of their length are dropped. The
/// small matrices are kept from call to call.
class Orthonormalizer {
 public:
  /// For at most `columns` vectors, of V and of T. `loss`: by how much VᵀV of the first V may
  /// differ from 1; later ones are those that calls made. Infinite where that is not known: every T
  /// has two passes then.
  Orthonormalizer(Backend& backend, int columns, double loss);

  /// The block left takes the first columns of T; returns its number of columns, 0 when nothing new
  /// is left.
  int operator()(ConstView basis, View t);
  /// By how much more than T's columns, of length one, what was in them beside the directions left
  /// may have been enlarged: rounding, and what a projector has left.
  double amplification() const { return amplification_; }

 private:
  double measure(int m, int k, double shortest);
  bool trusted(int k, double removed) const;
  bool takes_loss();
  int combine(int m, int k);
  int project(int m, int k);

  Backend& backend_;
  int d_;  ///< components; the small matrices are real ones, d rows and columns for one
  double loss_;
  HostMatrix c_, gram_;  ///< CS and DS(G − CᵀC)SD
  HostMatrix b_, cb_;    ///< B and −CB
  HostVector s_, left_;  ///< the diagonals of S and D
  SymmetricEigensolver eigen_;
  double amplification_ = 1.0;
};

/// Orthonormalizes once, without a second pass.
int orthonormalize(Backend& backend, ConstView basis, View t);

}  // namespace cisolve
