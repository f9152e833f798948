#pragma once

#include <cstdint>

namespace cisolve {

inline constexpr int warp = 32;                     ///< lanes
inline constexpr unsigned full_warp = 0xffffffffu;  ///< the mask of all lanes
/// Threads of a block, where nothing speaks for another number.
inline constexpr int block_threads = 256;
/// Blocks for so many items, threads for instance, the last one maybe not full.
inline unsigned blocks_of(std::int64_t items, int of_a_block = block_threads) {
  return static_cast<unsigned>((items + of_a_block - 1) / of_a_block);
}

}  // namespace cisolve
