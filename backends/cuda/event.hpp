#pragma once

#include "backends/cuda/check.hpp"

namespace cisolve::cuda {

/// A place in the work of a stream.
class Event {
 public:
  /// `flags`: of cudaEventCreateWithFlags; cudaEventDisableTiming where it only orders streams.
  explicit Event(unsigned flags = cudaEventDefault) {
    check_cuda(cudaEventCreateWithFlags(&event_, flags), "making an event");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  /// Moves it behind what the stream was given so far; null: the default one.
  void record(cudaStream_t stream = nullptr) {
    check_cuda(cudaEventRecord(event_, stream), "recording an event");
  }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace cisolve::cuda
