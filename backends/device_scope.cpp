#include "backends/device_scope.hpp"

#include "backends/cuda/entry.hpp"

namespace cisolve {

DeviceScope::DeviceScope(BackendKind kind, int device) {
  if (kind == BackendKind::cuda) before_ = exchange_current_device(device);
}

DeviceScope::~DeviceScope() {
  if (before_ < 0) return;
  try {
    exchange_current_device(before_);
  } catch (...) {  // the device is lost: the next call says so
  }
}

}  // namespace cisolve
