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

#ifdef CISOLVE_HAVE_CUDA
namespace cuda {
std::unique_ptr<Stopwatch::Clock> make_clock();
double timed_milliseconds(const std::function<void()>& work);
}  // namespace cuda
#endif

}  // namespace cisolve
