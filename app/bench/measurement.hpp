#pragma once

#include <functional>
#include <vector>

#include "backends/backend.hpp"

namespace cisolve {

struct Quartiles {
  double lower = 0.0, median = 0.0, upper = 0.0;
};
/// Quartiles of one value and more, interpolated linearly between those in order (R's type 7).
Quartiles quartiles(std::vector<double> values);

/// Times work on a backend with cold caches: 256 MB are overwritten before each run.
class Measurement {
 public:
  /// Throws ResourceError where the backend has no room for them.
  Measurement(Backend& backend, int repeats);

  /// Seconds of the repeats, after two runs to warm up.
  Quartiles seconds(const std::function<void()>& work);
  /// Bytes per second (median) of Y := X, read and write together.
  double copy_bandwidth();

 private:
  Backend& backend_;
  int repeats_;
  MultiVector flush_;
};

}  // namespace cisolve
