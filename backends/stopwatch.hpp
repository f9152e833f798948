#pragma once

#include <functional>

#include "backends/backend.hpp"

namespace cisolve {

/// Milliseconds of `work` on the backend: between two events on a device, so that waiting for the
/// host is not counted; by the wall clock on the CPU.
double timed_milliseconds(Backend& backend, const std::function<void()>& work);

}  // namespace cisolve
