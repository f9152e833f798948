#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "backends/cuda/check.hpp"

namespace cisolve::cuda {

/// Memory for doubles, grown on demand and kept; what it held is lost when it grows.
template <cudaError_t (*take)(double**, std::size_t), cudaError_t (*give)(void*)>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { give(data_); }

  double* reserve(std::size_t count) {
    if (count <= count_) return data_;
    give(data_);
    data_ = nullptr;
    count_ = 0;
    const std::size_t wanted = std::max<std::size_t>(2 * count, 1 << 16);
    check_cuda(take(&data_, wanted * sizeof(double)), "allocating scratch memory");
    count_ = wanted;
    return data_;
  }
  std::size_t size() const { return count_; }

 private:
  double* data_ = nullptr;
  std::size_t count_ = 0;
};

inline cudaError_t take_device(double** data, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(data), bytes);
}
inline cudaError_t take_pinned(double** data, std::size_t bytes) {
  return cudaHostAlloc(reinterpret_cast<void**>(data), bytes, cudaHostAllocDefault);
}
using DeviceScratch = Scratch<take_device, cudaFree>;
using PinnedScratch = Scratch<take_pinned, cudaFreeHost>;

/// Few numbers on their way to the device, which nobody waits for, and back, by one wait.
class Staging {
 public:
  /// Device memory that will hold the numbers when the next kernel runs, until `wait`.
  const double* push(const double* host, std::size_t count) {
    if (used_ + count > std::min(pinned_.size(), device_.size())) {
      wait();
      pinned_.reserve(count);
      device_.reserve(count);
    }
    double* from = pinned_.reserve(0) + used_;
    double* to = device_.reserve(0) + used_;
    std::copy_n(host, count, from);
    check_cuda(cudaMemcpyAsync(to, from, count * sizeof(double), cudaMemcpyHostToDevice),
               "uploading");
    used_ += count;
    return to;
  }
  /// Host memory that kernels can write, to be read after `wait`; one at a time.
  double* results(std::size_t count) { return results_.reserve(count); }
  /// For all that was begun.
  void wait() {
    check_cuda(cudaStreamSynchronize(nullptr), "waiting for a kernel");
    used_ = 0;
  }

 private:
  PinnedScratch pinned_, results_;
  DeviceScratch device_;
  std::size_t used_ = 0;
};

}  // namespace cisolve::cuda
