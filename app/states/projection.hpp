#pragma once

#include <cstddef>
#include <functional>

#include "app/config/config.hpp"
#include "app/states/spin_projection.hpp"

namespace cisolve {

/// The projector onto a multiplicity, the caller's (SolverConfig::project), both one after the
/// other, or none; `direct`: MatrixSource::direct. All that is handed in must outlive it.
std::function<void(View)> projector_of(SpinProjector* spin, const Projector& callers,
                                       Backend& backend, const DirectTables* direct);

/// What the projectors of a run take beside what they are applied to, of `rows` rows and blocks of
/// `columns`; a stored S² not among it.
std::size_t projector_bytes(const SolverConfig& config, Index rows, int columns);

}  // namespace cisolve
