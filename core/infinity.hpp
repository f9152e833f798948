#pragma once

#include <limits>

namespace cisolve {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace cisolve
