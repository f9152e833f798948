#pragma once

#include "solvers/eigen/convergence/roots.hpp"
#include "solvers/eigen/steps/workspace.hpp"

namespace cisolve {

/// The gap for which no state that lies more than that below the highest one was missed, from the
/// eigenvalues of A_PP where P has all rows: those below are the states', one by one. Infinite
/// elsewhere. No product is made for it, and nothing is random.
double gap_of_whole_spectrum(Workspace& work, const Roots& roots);

}  // namespace cisolve
