#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "formats/row_source.hpp"
#include "hamiltonian/ci_space.hpp"
#include "hamiltonian/integrals.hpp"

namespace cisolve {

/// The CI Hamiltonian of CiMatrixBuilder, the same bit for bit, whole, its rows made on the device:
/// once for their lengths, when the source is made, and again at every pass over them. Blocks have
/// at most `block_entries` nonzeros, or one window where that has more. Device memory: the tables,
/// 4·rows while the lengths are counted, 12 bytes for every nonzero of the largest block and 8 for
/// its every row while a pass is under way. `some_rows` and `diagonal` are the host's.
/// Integrals, space and backend, which must be a CUDA one, must outlive it.
std::unique_ptr<RowSource> make_ci_rows_cuda(const Integrals& integrals, const CiSpace& space,
                                             Backend& backend,
                                             Offset block_entries = row_block_entries);

}  // namespace cisolve
