#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/host_device.hpp"
#include "core/mixed.hpp"

namespace cisolve {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), one stream a (seed, number), so that parts may be
/// drawn in any order. std:: distributions are not used: they differ between standard libraries.
class Random {
 public:
  CISOLVE_HOST_DEVICE Random(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
    state_ = next() ^ (0xd1342543de82ef95u * (stream + 1));
  }
  /// Uniform in (0, 1).
  CISOLVE_HOST_DEVICE double uniform() {
    return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53;
  }
  /// Normal, of mean 0 and variance 1 (Box, Muller, Ann. Math. Stat. 1958, 29, 610).
  CISOLVE_HOST_DEVICE double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  CISOLVE_HOST_DEVICE std::uint64_t next() {
    const std::uint64_t drawn = mixed(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return drawn;
  }
  std::uint64_t state_;
};

}  // namespace cisolve
