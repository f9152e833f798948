#pragma once

#include "solvers/eigen/eigen_problem.hpp"

namespace cisolve {

/// Solves (A/s)x = (θ/s)x, s the options' scale, with the scale one, and returns, shows and
/// checkpoints what comes of that as of A. A power of two changes no bit but in exponents, so that
/// thresholds of the solver are numbers, and squares of what is as small as 1e-200 or as large do
/// not vanish or overflow.
using EigenSolve = std::function<EigenResult(LinearOperator& a, const PSpace& p_space,
                                             const EigenOptions&, const EigenObserver&)>;
EigenResult solve_scaled(LinearOperator& a, Backend& backend, const PSpace& p_space,
                         const EigenOptions& options, const EigenObserver& observer,
                         const EigenSolve& solve);

}  // namespace cisolve
