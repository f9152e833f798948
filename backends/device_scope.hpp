#pragma once

#include "backends/backend.hpp"

namespace cisolve {

/// Makes a CUDA device the calling thread's current one while it lives, as calls to its backend
/// need; on the CPU nothing.
class DeviceScope {
 public:
  DeviceScope(BackendKind kind, int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  int before_ = -1;  ///< -1: nothing to go back to
};

}  // namespace cisolve
