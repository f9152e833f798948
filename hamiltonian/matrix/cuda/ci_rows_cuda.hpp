#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// True if the space is one of those below: of single ranges (CiSpace::has_single_ranges), over at
/// most as many orbitals as a GPU's strings have.
inline bool can_make_ci_rows_cuda(const CiSpace& space) {
  return space.has_single_ranges() && space.alpha.orbitals <= OrbitalString64::most_orbitals;
}

/// The CI Hamiltonian of CiMatrixBuilder, the same bit for bit, whole, its rows made on the device
/// (MadeRows), by tables there. `some_rows` and `diagonal` are the host's.
///
/// Throws InputError of spaces for which it cannot. Integrals, space and backend, which must be a
/// CUDA one, must outlive it.
CISOLVE_CUDA_FUNCTION(make_ci_rows_cuda,
                      std::unique_ptr<RowSource>(const Integrals& integrals, const CiSpace& space,
                                                 Backend& backend, Offset block_entries));

}  // namespace cisolve
