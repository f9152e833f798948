#include <functional>
#include <memory>
#include <type_traits>

#include "backends/cuda/check.hpp"
#include "backends/stopwatch_clock.hpp"

namespace cisolve::cuda {
namespace {

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

Event make_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "making an event");
  return Event(event);
}

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
    check_cuda(cudaEventRecord(begin_.get()), "recording an event");
  }
  void end() override {
    check_cuda(cudaEventRecord(end_.get()), "recording an event");
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
  Event begin_ = make_event(), end_ = make_event();
  bool unread_ = false;
  double seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<Stopwatch::Clock> make_clock() {
  return std::make_unique<EventClock>();
}

double timed_milliseconds(const std::function<void()>& work) {
  const Event begin = make_event(), end = make_event();
  check_cuda(cudaEventRecord(begin.get()), "recording an event");
  work();
  check_cuda(cudaEventRecord(end.get()), "recording an event");
  return milliseconds_between(begin, end);
}

}  // namespace cisolve::cuda
