#pragma once

#include <span>

#include "backends/backend.hpp"

namespace cisolve::cuda {

/// Backend::combine of vectors that do not lie side by side, in device memory. A launch takes 32
/// vectors to 8 columns, so that Y is read and written once for 32: bound by the bytes of the cache
/// lines that hold the vectors.
void combine(std::span<const VectorSum> sums);

}  // namespace cisolve::cuda
