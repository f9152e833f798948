#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "core/error.hpp"
#include "formats/row_source.hpp"
#include "hamiltonian/ci_space.hpp"
#include "hamiltonian/integrals.hpp"

namespace cisolve {

std::unique_ptr<RowSource> make_ci_rows_cuda(const Integrals& integrals, const CiSpace& space,
                                             Backend& backend,
                                             Offset block_entries = row_block_entries);

}  // namespace cisolve
