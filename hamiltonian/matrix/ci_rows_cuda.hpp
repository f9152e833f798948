#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "formats/matrix/row_source.hpp"
#include "hamiltonian/integrals/integrals.hpp"
#include "hamiltonian/space/ci_space.hpp"

namespace cisolve {

/// Whether the space is one of those below: of single ranges (CiSpace::has_single_ranges), over at
/// most as many orbitals as a GPU's strings have.
inline bool can_make_ci_rows_cuda(const CiSpace& space) {
  return space.has_single_ranges() && space.alpha.orbitals <= OrbitalString64::most_orbitals;
}

/// The CI Hamiltonian of CiMatrixBuilder, the same bit for bit, whole, its rows made on the device:
/// once for their lengths, when the source is made, and again at every pass over them. Blocks have
/// at most `block_entries` nonzeros, or one window where that has more. Device memory: the tables,
/// 4·rows while the lengths are counted, 12 bytes for every nonzero of the largest block and 8 for
/// its every row while a pass is under way. `some_rows` and `diagonal` are the host's.
///
/// Over several ranks of the backend each has the rows that balanced_partition gives it, once all
/// have counted equal parts; called by all ranks. 4 bytes a row of the matrix on every host then.
///
/// Throws InputError of spaces for which it cannot. Integrals, space and backend, which must be a
/// CUDA one, must outlive it.
CISOLVE_CUDA_FUNCTION(make_ci_rows_cuda,
                      std::unique_ptr<RowSource>(const Integrals& integrals, const CiSpace& space,
                                                 Backend& backend, Offset block_entries));

}  // namespace cisolve
