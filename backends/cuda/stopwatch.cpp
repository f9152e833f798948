#include <functional>
#include <memory>

#include "backends/cuda/entry.hpp"
#include "backends/cuda/event.hpp"

namespace cisolve {
using namespace cuda;
namespace {

double milliseconds_between(const Event& begin, const Event& end) {
  check_cuda(cudaEventSynchronize(end.get()), "waiting for a kernel");
  float milliseconds = 0.0f;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading an event");
  return milliseconds;
}

/// The last stretch is read when the next one begins, by when as a rule it is over.
class EventClock final : public Stopwatch::Clock {
 public:
  void begin() override {
    read();
    begin_.record();
  }
  void end() override {
    end_.record();
    unread_ = true;
  }
  double seconds() override {
    read();
    return seconds_;
  }

 private:
  void read() {
    if (unread_) seconds_ += 1e-3 * milliseconds_between(begin_, end_);
    unread_ = false;
  }
  Event begin_, end_;
  bool unread_ = false;
  double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<Stopwatch::Clock> CISOLVE_IN_MODULE(make_event_clock)() {
  return std::make_unique<EventClock>();
}

double CISOLVE_IN_MODULE(device_milliseconds)(const std::function<void()>& work) {
  Event begin, end;
  begin.record();
  work();
  end.record();
  return milliseconds_between(begin, end);
}

}  // namespace cisolve
