#pragma once

#include <cstddef>
#include <string>

namespace cisolve {

/// Bytes of host memory that can still be taken: MemAvailable of /proc/meminfo, or what the control
/// group (version 1 or 2) or the limit of the address space (`ulimit -v`) leaves, whichever is
/// less. The group is the one that the process was in at the first call.
std::size_t available_host_memory();

/// Throws ResourceError, "what: so much needed, so much available", where that is more.
void require_host_memory(double bytes, const std::string& what);

/// Asks for large pages (2 MiB) behind a large array that is not touched yet: fewer faults when it
/// is. Small arrays stay as they are, and all of a system that has none.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// Bytes for people: "1.25 GB" (powers of ten).
std::string format_bytes(double bytes);

}  // namespace cisolve
