#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "backends/backend.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/staging.hpp"
#include "backends/cuda/vector_kernels.hpp"
#include "core/dense/host_matrix.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

namespace cisolve {

/// The memory of a device and pinned memory of the host, and what is copied from and to them: all
/// of the CUDA backend but its arithmetic.
class DeviceMemory : public Backend {
 public:
  BackendKind kind() const override { return BackendKind::cuda; }
  std::string description() const override { return properties_.name; }
  std::size_t free_memory() const override {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "reading free memory");
    return free;
  }

  void* allocate(std::size_t bytes, Residence residence) override {
    const bool pinned = residence == Residence::host;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    void* memory = nullptr;
    const cudaError_t status =
        pinned ? cudaHostAlloc(&memory, size, cudaHostAllocMapped | cudaHostAllocPortable)
               : cudaMalloc(&memory, size);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not sticky: cleared
      const std::size_t free = pinned ? available_host_memory() : free_memory();
      throw ResourceError("out of " +
                          (pinned ? "pinned host memory" : "memory on " + description()) + ": " +
                          format_bytes(bytes) + " needed, " + format_bytes(free) + " free");
    }
    check_cuda(status, "allocating");
    return memory;  // with unified addressing the same address on host and device
  }
  void release(void* memory) noexcept override {
    if (on_host(memory)) {
      cudaDeviceSynchronize();  // cudaFreeHost does not wait for kernels that use it
      cudaFreeHost(memory);
    } else {
      cudaFree(memory);
    }
  }
  void upload_bytes(const void* host, void* device, std::size_t bytes) override {
    wait_for(device);
    check_cuda(cudaMemcpy(device, host, bytes, cudaMemcpyDefault), "uploading");
  }
  void download_bytes(const void* device, void* host, std::size_t bytes) override {
    wait_for(device);
    check_cuda(cudaMemcpy(host, device, bytes, cudaMemcpyDefault), "downloading");
  }
  void synchronize() override { check_cuda(cudaDeviceSynchronize(), "waiting for a kernel"); }

  void upload(const HostMatrix& host, View y) override {
    if (y.stride == y.columns) return upload_bytes(host.data(), y.data, y.rows * row_bytes(y));
    for_pieces(y, [&](Index first, const View& piece) {
      check_cuda(cudaMemcpy(piece.data, host.row(first).data(), piece.rows * row_bytes(piece),
                            cudaMemcpyDefault),
                 "uploading vectors");
      cuda::copy(piece, y.row_range(first, piece.rows));
    });
  }
  HostMatrix download(ConstView x) override {
    HostMatrix host(x.rows, x.columns);
    if (x.stride == x.columns) {
      download_bytes(x.data, host.data(), x.rows * row_bytes(x));
      return host;
    }
    // Rows of a slice are packed on the device: the bus is faster for few long pieces than for many
    // short ones.
    for_pieces(x, [&](Index first, const View& piece) {
      cuda::copy(x.row_range(first, piece.rows), piece);
      check_cuda(cudaMemcpy(host.row(first).data(), piece.data, piece.rows * row_bytes(piece),
                            cudaMemcpyDefault),
                 "downloading vectors");
    });
    return host;
  }

 protected:
  explicit DeviceMemory(int device) {
    check_cuda(cudaSetDevice(device), "choosing the device");
    check_cuda(cudaGetDeviceProperties(&properties_, device), "reading its properties");
  }
  int multiprocessors() const { return properties_.multiProcessorCount; }

  cuda::DeviceScratch scratch_;

 private:
  static std::size_t row_bytes(ConstView v) { return v.columns * sizeof(double); }

  /// Calls f(first row, room on the device for the rows from there) until all rows of x have been.
  template <class F>
  void for_pieces(ConstView x, F f) {
    constexpr Index numbers = 1 << 20;
    const Index most = std::max(numbers / std::max(x.columns, 1), 1);
    double* room = scratch_.reserve(static_cast<std::size_t>(std::min(most, x.rows)) * x.columns);
    for (Index first = 0; first < x.rows;) {
      const Index rows = std::min(most, x.rows - first);
      f(first, View{room, rows, x.columns, x.columns});
      first += rows;
    }
  }

  static bool on_host(const void* memory) {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           attributes.type == cudaMemoryTypeHost;
  }
  /// A copy between two places of host memory does not wait for the kernels that use them.
  void wait_for(const void* memory) {
    if (on_host(memory)) synchronize();
  }

  cudaDeviceProp properties_{};
};

}  // namespace cisolve
