#pragma once

#include <memory>

#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"

namespace cisolve {

/// Rows of determinants that are made on a CUDA device block by block, whole nowhere. Made in
/// formats that come from such rows (Format::cuda_from_rows). Must not outlive source and backend.
/// Throws ResourceError where the device has no room for the tables.
std::unique_ptr<MatrixSource> device_source(HamiltonianSource& source, Backend& backend);

}  // namespace cisolve
