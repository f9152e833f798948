#pragma once

#include <memory>

#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"
#include "formats/matrix/row_source.hpp"

namespace cisolve {

/// Rows of determinants that are made on a CUDA device block by block, whole nowhere. Made in
/// formats that come from such rows (Format::cuda_from_rows). Must not outlive source and backend.
/// Throws ResourceError where the device has no room for the tables.
std::unique_ptr<MatrixSource> device_source(HamiltonianSource& source, Backend& backend);

/// `solver` with what rows made on a device take on their way to an operator: so many with so many
/// nonzeros, and tables of so many bytes; `scratch` as Format has it.
MemoryNeed memory_as_device_rows(const MemoryNeed& solver, const Format& format, Index rows,
                                 Offset nonzeros, std::size_t tables, std::size_t scratch);

}  // namespace cisolve
