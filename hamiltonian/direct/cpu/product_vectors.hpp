#pragma once

#include <cstdint>

#include "backends/ranks/communicator.hpp"
#include "backends/ranks/shared_memory.hpp"
#include "core/array.hpp"

namespace cisolve {

/// c and σ of a product in host memory, kept, as their pages are dear to come by. Ranks of one host
/// have the same two together, so that none has to tell the others what they hold.
class ProductVectors {
 public:
  /// So many numbers each, if there are none yet. Called by all ranks.
  void reserve(std::int64_t count, Communicator& ranks) {
    if (c_ != nullptr) return;
    const auto numbers = static_cast<std::size_t>(count);
    if (ranks.has_common_memory()) {
      common_ = SharedMemory::of(ranks, 2 * numbers * sizeof(double));
    }
    if (!common_) own_.resize(2 * numbers);
    c_ = common_ ? reinterpret_cast<double*>(common_.data()) : own_.data();
    sigma_ = c_ + numbers;
  }

  bool common() const { return static_cast<bool>(common_); }
  double* c() const { return c_; }
  double* sigma() const { return sigma_; }

 private:
  SharedMemory common_;
  Array<double> own_;
  double *c_ = nullptr, *sigma_ = nullptr;
};

}  // namespace cisolve
