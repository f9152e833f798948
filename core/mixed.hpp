#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace cisolve {

/// A well-mixed function of its argument (the finaliser of SplitMix64; Steele, Lea, Flood 2014), so
/// that element e of a random vector can be made by any thread.
CISOLVE_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The mixed bits as a number, uniform in [−1, 1).
CISOLVE_HOST_DEVICE inline double mixed_uniform(std::uint64_t z) {
  return static_cast<double>(mixed(z) >> 11) * 0x1p-52 - 1.0;
}

}  // namespace cisolve
