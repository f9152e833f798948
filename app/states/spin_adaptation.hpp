#pragma once

#include <functional>

#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve {

/// y := S²x, both n × 1 on the backend.
using SpinSquare = std::function<void(ConstView x, View y)>;

/// Makes spin eigenfunctions of degenerate states. An eigensolver returns any orthonormal vectors X
/// of a level (energies each within 1e-7 of the next, in units of the scale); here XᵀS²X is
/// diagonalised and X, on its backend, rotated. States that S² does not couple stay as they are, so
/// that none are mixed needlessly. Energies follow the rotation and ascend; residuals are
/// recomputed with one product for each state of the level, counted in the result. If one of them
/// would miss the tolerance that it met before, the level is left as the solver returned it. A
/// state counts as converged where all of its level did, and, unless states were found `by_energy`,
/// its residual is within the tolerance.
void adapt_spin(EigenResult& result, const LinearOperator& a, Backend& backend,
                const SpinSquare& s_squared, double tolerance, bool by_energy = false);

}  // namespace cisolve
