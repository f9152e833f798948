#pragma once

#include "backends/backend.hpp"

namespace cisolve {

/// Makes a block T (n × k) orthonormal, among itself and to the orthonormal basis V (n × m):
///   T ← T − V(VᵀT), then T ← T·UΛ^-½ with TᵀT = UΛUᵀ (SVQB; Stathopoulos, Wu, SIAM J. Sci. Comput.
///   2002, 23, 2165), three times over, which restores orthogonality to rounding.
/// Directions that lie in V or depend on others to 1e-7 of their length are dropped.
class Orthonormalizer {
 public:
  /// Room for blocks of at most `columns` vectors.
  Orthonormalizer(Backend& backend, Index rows, int columns);

  /// The first `count` columns of `t`, packed, are replaced by the orthonormal block, packed.
  /// Returns its number of columns, ≤ count; 0 when nothing new is left.
  int operator()(ConstView basis, MultiVector& t, int count);

 private:
  Backend& backend_;
  MultiVector scratch_;
};

}  // namespace cisolve
