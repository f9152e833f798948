#pragma once

#include <vector>

#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Integrals over the active spinors alone: `frozen` ones (0-based) have one electron each, whose
/// energy goes into the core energy and whose field goes into h; of the others those in `active`
/// stay (all when empty), in the file's order:
///
///     h'_pq = h_pq + Σ_i [(pq|ii) − (pi|iq)],   E' = E + Σ_i h_ii + ½ Σ_ij [(ii|jj) − (ij|ji)].
///
/// Throws InputError on a repeated or missing spinor or too few electrons, ResourceError as
/// SpinorIntegrals does.
SpinorIntegrals restrict_spinors(SpinorIntegrals integrals, const std::vector<int>& frozen,
                                 const std::vector<int>& active);

}  // namespace cisolve
