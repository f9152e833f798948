#pragma once

#include <cstddef>
#include <string>

namespace cisolve {

/// Bytes of host memory that can still be taken: MemAvailable of /proc/meminfo, or what the control
/// group (version 1 or 2) leaves, whichever is less.
std::size_t available_host_memory();

/// Bytes for people: "1.25 GB" (powers of ten).
std::string format_bytes(double bytes);

}  // namespace cisolve
