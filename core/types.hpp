#pragma once

#include <cstddef>
#include <cstdint>

namespace cisolve {

/// Row and column numbers: 0-based, 32 bits. Dimensions are checked on load.
using Index = std::int32_t;

/// Positions among the nonzeros: 64 bits, for a CI matrix passes 2^31 of them soon.
using Offset = std::int64_t;

}  // namespace cisolve
