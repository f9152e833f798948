#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cisolve {

enum class Device {
  automatic,  ///< a CUDA device where one can be used, else the CPU
  cpu,
  cuda
};

/// A key of the configuration that run files have (docs/configuration.md), and its value as text.
struct Setting {
  std::string origin;  ///< as messages name it; may be empty
  std::string key;     ///< "spmv.tune"
  std::string value;   ///< "true"
};

/// Where to compute, and with what.
struct Machine {
  Device device = Device::automatic;
  int number = 0;                  ///< of the CUDA device
  int threads = 0;                 ///< of OpenMP; 0: what OpenMP offers the calling thread
  std::uint64_t memory_limit = 0;  ///< most bytes that are taken of the device's memory, on the
                                   ///< CPU of the host's; 0: what there is
  std::string format = "auto";     ///< of stored matrices: "csr", "packed" …
  std::vector<Setting> more = {};  ///< any other keys, applied last
};

/// Why no CUDA device can be used here; empty where one can.
std::string cuda_unavailable_reason();

/// What a call says while it works; all may be empty. They are called in the calling thread.
struct Listener {
  /// A sentence on what may not be as expected; it is among the result's notes as well.
  std::function<void(const std::string&)> warning = {};
  /// Lines for people on what comes next and what it takes.
  std::function<void(const std::string&)> progress = {};
};

}  // namespace cisolve
