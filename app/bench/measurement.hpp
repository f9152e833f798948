#pragma once

#include <functional>

#include "backends/backend.hpp"

namespace cisolve {

/// Times work on a backend with cold caches: 256 MB are overwritten before each run.
class Measurement {
 public:
  /// Throws ResourceError where the backend has no room for them.
  Measurement(Backend& backend, int repeats);

  /// Median seconds of the repeats, after two runs to warm up.
  double seconds(const std::function<void()>& work);
  /// Bytes per second of Y := X, read and write together.
  double copy_bandwidth();

 private:
  Backend& backend_;
  int repeats_;
  MultiVector flush_;
};

}  // namespace cisolve
