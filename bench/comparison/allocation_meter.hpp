#pragma once

#include <cstddef>

namespace cisolve::comparison {

/// Begins anew to watch the memory that the process, with all its libraries, takes from malloc.
void watch_allocations();

/// The most that was held at once since, in bytes beyond what was held at the beginning.
std::size_t most_allocated();

}  // namespace cisolve::comparison
