#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace cisolve {

/// Sorts the entries of a row by column, of keys (column << 32 | place of the value): a radix sort,
/// which no order of the columns makes slower.
class ColumnSort {
 public:
  explicit ColumnSort(Index columns)
      : passes_((std::bit_width(static_cast<std::uint32_t>(columns)) + most_bits - 1) / most_bits),
        bits_((std::bit_width(static_cast<std::uint32_t>(columns)) + passes_ - 1) / passes_) {}

  void operator()(std::vector<std::uint64_t>& keys) {
    sorted_.resize(keys.size());
    for (int pass = 0; pass < passes_; ++pass) {
      const int shift = 32 + pass * bits_;
      const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
      std::array<std::uint32_t, std::size_t{1} << most_bits> next{};
      for (const std::uint64_t key : keys) ++next[key >> shift & mask];
      std::uint32_t before = 0;
      for (std::uint32_t& count : next) before += std::exchange(count, before);
      for (const std::uint64_t key : keys) sorted_[next[key >> shift & mask]++] = key;
      keys.swap(sorted_);
    }
  }

 private:
  static constexpr int most_bits = 8;
  int passes_, bits_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace cisolve
