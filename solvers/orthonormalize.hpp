#pragma once

#include "backends/backend.hpp"

namespace cisolve {

/// Makes a block T (n × k) orthonormal, among itself and to the orthonormal basis V (n × m), in
/// place:
///   T ← T − V(VᵀT), then T ← T·UΛ^-½ with TᵀT = UΛUᵀ (SVQB; Stathopoulos, Wu, SIAM J. Sci. Comput.
///   2002, 23, 2165),
/// repeated until a pass had next to nothing to remove: as a rule twice. Directions that lie in V
/// or depend on others to 1e-7 of their length are dropped. The block left takes the first columns
/// of T; returns its number of columns, 0 when nothing new is left.
int orthonormalize(Backend& backend, ConstView basis, View t);

}  // namespace cisolve
