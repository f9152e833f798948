#pragma once

#include <memory>

#include "app/input/matrix_source.hpp"
#include "app/input/source.hpp"

namespace cisolve {

/// As the source's file holds it, packed (HamiltonianSource::packed); made in that format alone.
/// The file's arrays become the operator as they are; for a GPU they are copied there. Throws
/// InputError where the matrix was not symmetric when it was written.
std::unique_ptr<MatrixSource> packed_source(HamiltonianSource& source);

}  // namespace cisolve
