#pragma once

#include <functional>
#include <memory>

#include "backends/backend.hpp"

namespace cisolve {

/// Milliseconds of `work` on the backend: between two events on a device, so that waiting for the
/// host is not counted; by the wall clock on the CPU.
double timed_milliseconds(Backend& backend, const std::function<void()>& work);

/// Seconds of stretches of work on a backend, added up: between events on a device, so that nothing
/// waits for their sake; by the wall clock on the CPU.
class Stopwatch {
 public:
  explicit Stopwatch(Backend& backend);

  void begin() { clock_->begin(); }
  void end() { clock_->end(); }
  /// Seconds of all stretches that have ended; waits for the last one.
  double seconds() const { return clock_->seconds(); }

  /// Clock of one kind of backend.
  class Clock {
   public:
    virtual ~Clock() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual double seconds() = 0;
  };

 private:
  std::unique_ptr<Clock> clock_;
};

}  // namespace cisolve
