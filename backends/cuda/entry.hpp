#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "backends/cuda_module.hpp"
#include "backends/stopwatch.hpp"

namespace cisolve {

/// Stamp that tells this build of the module from others.
CISOLVE_CUDA_FUNCTION(cuda_module_stamp, const char*());
/// Why no device can be used; empty where one can.
CISOLVE_CUDA_FUNCTION(cuda_device_failure, std::string());
/// Devices that this process sees, where one can be used.
CISOLVE_CUDA_FUNCTION(cuda_device_count, int());
/// Makes that device the calling thread's current one; returns the one before.
CISOLVE_CUDA_FUNCTION(exchange_current_device, int(int device));
/// The backend of a device, of which there is one at least.
CISOLVE_CUDA_FUNCTION(make_device_backend, std::unique_ptr<Backend>(int device));
/// A clock of events in the default stream.
CISOLVE_CUDA_FUNCTION(make_event_clock, std::unique_ptr<Stopwatch::Clock>());
/// Milliseconds on the device between what is launched before and after.
CISOLVE_CUDA_FUNCTION(device_milliseconds, double(const std::function<void()>& work));

}  // namespace cisolve
