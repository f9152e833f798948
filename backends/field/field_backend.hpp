#pragma once

#include <memory>

#include "backends/backend.hpp"

namespace cisolve {

/// Vectors over K, the complex numbers or quaternions, on a backend: K belongs to the small
/// matrices.
///
/// A block of k vectors of n elements over K, of d real components each, is a dn × k block of real
/// numbers: component c of element (i, j) in row d·i + c, column j. Norms, real parts of products,
/// sums with real factors and all that works row by row are those of that block, by the backend
/// inside. What differs is XᴴY and Y = XC: small matrices in host memory are over K, in the real
/// form of core/dense/field_matrix.hpp, dm × dk for m × k elements,
///   (XᴴY)_r = Σ_{pq = r} ± X_pᵀY_q,  Y_q := Σ_{pr = q} ± X_p C_r,
/// over blocks of single components, X_p of n rows: no more flops than K's arithmetic has. A real m
/// × k matrix C is taken too. Small matrices in the backend's memory are real (the columns of X
/// count as real ones), as operators are: multiplications from the left.
///
/// The backend inside must outlive it. `components`: d, 2 or 4.
std::unique_ptr<Backend> make_field_backend(Backend& inner, int components);

}  // namespace cisolve
