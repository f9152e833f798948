#pragma once

#include "app/ways/host_way.hpp"

namespace cisolve {

/// A stored matrix of `spmv.format: auto`, of one process, whose format is chosen while it is used:
/// csr, until a faster one is found (AdaptiveOperator). Not taken where host or device have no room
/// for csr.
Way chosen_way(Elements& elements, const Determinants* determinants);

/// Throws InputError where spmv.network is no network for that backend.
void check_choice(const RunConfig& config, BackendKind backend);

}  // namespace cisolve
