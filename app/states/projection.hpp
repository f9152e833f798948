#pragma once

#include <functional>

#include "app/config/config.hpp"
#include "app/states/spin_projection.hpp"
#include "hamiltonian/basis/basis.hpp"

namespace cisolve {

/// The projector onto a multiplicity, the caller's (SolverConfig::project), both one after the
/// other, or none, of vectors over that basis. All that is handed in must outlive it.
std::function<void(View)> projector_of(SpinProjector* spin, const Projector& callers,
                                       Backend& backend, const Basis& basis);

/// Vectors that the projectors take beside blocks of `columns` that they are applied to, none
/// where there is no such projector: that onto a multiplicity for the scratch and the diagonal of
/// S², the caller's for copies over rows and over determinants.
int spin_scratch(const SolverConfig& config, int columns);
int callers_scratch(const SolverConfig& config, int columns);

}  // namespace cisolve
