#include "backends/stopwatch.hpp"

#include "backends/cuda/entry.hpp"
#include "core/timer.hpp"

namespace cisolve {
namespace {

class WallClock final : public Stopwatch::Clock {
 public:
  void begin() override { timer_ = Timer(); }
  void end() override { seconds_ += timer_.seconds(); }
  double seconds() override { return seconds_; }

 private:
  Timer timer_;
  double seconds_ = 0.0;
};

std::unique_ptr<Stopwatch::Clock> make_clock(Backend& backend) {
  if (backend.kind() == BackendKind::cuda) return make_event_clock();
  return std::make_unique<WallClock>();
}

}  // namespace

double timed_milliseconds(Backend& backend, const std::function<void()>& work) {
  if (backend.kind() == BackendKind::cuda) return device_milliseconds(work);
  backend.synchronize();
  const Timer timer;
  work();
  backend.synchronize();
  return timer.seconds() * 1e3;
}

Stopwatch::Stopwatch(Backend& backend) : clock_(make_clock(backend)) {}

}  // namespace cisolve
