#pragma once

#include <memory>

#include "backends/stopwatch.hpp"

namespace cisolve {

class Stopwatch::Clock {
 public:
  virtual ~Clock() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
  virtual double seconds() = 0;
};

}  // namespace cisolve
