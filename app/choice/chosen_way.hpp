#pragma once

#include "app/config/json.hpp"
#include "app/ways/stored/host_way.hpp"

namespace cisolve {

/// A stored matrix of `spmv.format: auto`, of one process, whose format is chosen while it is used:
/// csr, until a faster one is found (AdaptiveOperator). Not taken where host or device have no room
/// for csr.
Way chosen_way(Elements& elements, const Determinants* determinants);

/// Throws InputError where the format is `auto` and spmv.network no network for that backend.
void check_choice(const RunConfig& config, BackendKind backend);

/// Every format of the network, the fastest first, as predicted for products with one vector, or
/// why it cannot be taken; null where the format is not `auto`, or the matrix empty
/// or not real.
Json format_ranking(const RunConfig& config, const CsrMatrix& a, bool symmetric,
                    BackendKind backend);

}  // namespace cisolve
