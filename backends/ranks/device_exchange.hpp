#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "backends/cuda_module.hpp"
#include "backends/ranks/communicator.hpp"

namespace cisolve {

/// Exchange between the devices of ranks, past the host.
class DeviceExchange {
 public:
  DeviceExchange() = default;
  DeviceExchange(const DeviceExchange&) = delete;
  DeviceExchange& operator=(const DeviceExchange&) = delete;
  virtual ~DeviceExchange() = default;
  /// Waits until it is ready. Empty, or why this rank cannot take part: then none may use it.
  virtual std::string failure() = 0;
  /// Communicator::all_gather of device memory, in the order of the default stream: nothing waits.
  virtual void all_gather(const void* mine, void* all, std::span<const std::size_t> bytes) = 0;
};

/// NCCL's, between the ranks' current devices, which gets ready beside what is done next. Null on
/// all ranks, and `failure` says why, where one of them cannot: the library is missing, or two
/// ranks share a device. Called by all ranks.
CISOLVE_CUDA_FUNCTION(make_nccl_exchange,
                      std::unique_ptr<DeviceExchange>(Communicator& ranks, std::string& failure));

}  // namespace cisolve
