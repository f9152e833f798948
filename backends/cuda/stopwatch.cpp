#include <functional>
#include <memory>
#include <type_traits>

#include "backends/cuda/check.hpp"

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

}  // namespace

double timed_milliseconds(const std::function<void()>& work) {
  const Event begin = make_event(), end = make_event();
  check_cuda(cudaEventRecord(begin.get()), "recording an event");
  work();
  check_cuda(cudaEventRecord(end.get()), "recording an event");
  check_cuda(cudaEventSynchronize(end.get()), "waiting for a kernel");
  float milliseconds = 0.0f;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading an event");
  return milliseconds;
}

}  // namespace cisolve::cuda
