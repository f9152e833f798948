#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/mixed.hpp"

namespace cisolve {

/// A number that tells arrays of numbers from others.
class Hash {
 public:
  template <class T>
  void add(const T* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, values + i, sizeof(T));
      value_ = mixed(value_ ^ bits);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace cisolve
