#pragma once

#include <cstddef>
#include <string>

#include "app/config/config.hpp"
#include "app/memory/memory_plan.hpp"
#include "backends/backend.hpp"
#include "core/log.hpp"

namespace cisolve {

/// Memory of host and device, including `in_place`, which a plan already has. `limit` caps the
/// backend's own memory: the device, or on the CPU the host; 0: no cap. A little of a device is
/// left for its libraries.
MemoryAvailable available_memory(const Backend& backend, std::size_t limit = 0,
                                 const MemoryAvailable& in_place = {});

/// The decision of a plan, a sentence.
std::string describe(const MemoryPlan& plan);

/// Throws ResourceError where nothing fits: how much host or device would need and has, of what,
/// and what to try. `size`: of the matrix, for people, "10 rows, 20 nonzeros".
void require_fit(const MemoryPlan& plan, const std::string& size, const Backend& backend);

/// Logs the plan, a few lines, once it is sure that it fits (require_fit).
void announce(const MemoryPlan& plan, const std::string& size, const Backend& backend,
              const Log& log);

/// Announces so many bytes on the host alone.
void announce_host(std::size_t bytes, const std::string& size, const Log& log);
/// Says nothing where they fit. Throws ResourceError where they do not.
void require_host(std::size_t bytes, const std::string& size);

Json memory_json(const MemoryPlan& plan);

}  // namespace cisolve
