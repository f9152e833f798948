#pragma once

#include "backends/backend.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// A block whose rows are distributed over the backend's ranks, on the host of every rank; where
/// there is one rank Backend::download. Called by all ranks.
HostMatrix download_whole(Backend& backend, ConstView x);

/// Y := this rank's rows of a block that it has whole. Called by all ranks.
void upload_own(Backend& backend, const HostMatrix& whole, View y);

}  // namespace cisolve
