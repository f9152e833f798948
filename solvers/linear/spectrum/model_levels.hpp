#pragma once

#include <cstdint>

#include "core/dense/host_matrix.hpp"
#include "solvers/linear/spectrum/jacobi_spectrum.hpp"

namespace cisolve {

/// Eigenvalues, and what b has of each.
struct Levels {
  HostVector values, parts;
};

/// True if the Lanczos steps have not come to the lowest eigenvalue of a definite matrix: the error
/// of the lowest node is half of it or more.
bool is_open_below(const JacobiSpectrum& spectrum);

/// At most so many levels of a matrix of n rows whose spectrum is open below, fewer where it has
/// fewer rows. The random start's quadrature is the density of levels, W(λ) of them up to λ, being
/// w_1 + … + w_i / 2 at the node i, with W ∝ λ^p below the first node as at the first three: p = ½
/// on a line, 1 on a plane, 3/2 in space (Weyl's law). The level j lies where n W = j. Fewer levels
/// than rows are the lowest half as they are and what is above spread evenly. b's parts follow its
/// own quadrature in the same way.
Levels model_levels(const JacobiSpectrum& spectrum, std::int64_t rows, int most);

}  // namespace cisolve
