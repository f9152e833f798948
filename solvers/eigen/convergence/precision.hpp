#pragma once

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/eigen_problem.hpp"
#include "solvers/eigen/steps/start_block.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// True if the off-diagonal elements of A are in single precision still: products are then with a
/// rounded matrix, whose residuals are not asked to be below what the rounding makes of them.
inline bool is_rounded(const Workspace& work) {
  return work.a.rounding_error() > 0.0;
}

/// A in double precision from here on, after so many iterations of this run; false where that has
/// no room, of which a note tells.
bool refine_operator(Workspace& work, int iterations, EigenResult& result);

/// Also V_s ← none and T_s ← the Ritz vectors wanted and the guard, with which the solve begins
/// anew: the images of the bases are those of the rounded matrix.
bool to_double_precision(Workspace& work, Roots& roots, int iterations, EigenResult& result,
                         NewVectors& to);

}  // namespace cisolve
