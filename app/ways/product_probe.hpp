#pragma once

#include <vector>

#include "app/input/callers_product.hpp"

namespace cisolve {

/// The diagonal of a caller's product: what the caller says, or an estimate by ten products, whose
/// errors are on the high side. Either way products with random vectors x and y, two at least, are
/// held to yᵀ(Ax) = xᵀ(Ay).
///
/// The estimate is that of Bekas, Kokiopoulou and Saad (Appl. Numer. Math. 2007, 57, 1214) with
/// random v_k,
///   d_i = Σ_k v_ik (A v_k)_i / Σ_k v_ik² = a_ii + Σ_j≠i a_ij Σ_k v_ik v_jk / Σ_k v_ik²,
/// and its standard error σ_i from the spread over k. It is shrunk to the mean of the rows by the
/// part that such errors have in the differences between rows, and becomes d_i + 2σ_i: the lowest
/// estimates would otherwise be those with the largest errors, and it is by them that solvers go.
///
/// Throws InputError where products are not those of a symmetric matrix, or not finite.
std::vector<double> probed_diagonal(const CallersProduct& product);

}  // namespace cisolve
