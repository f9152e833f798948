#pragma once

#include <cstdint>

namespace cisolve {

inline constexpr int warp = 32;                     ///< lanes
inline constexpr unsigned full_warp = 0xffffffffu;  ///< the mask of all lanes
/// Threads of a block, where nothing speaks for another number.
inline constexpr int block_threads = 256;
/// Blocks of block_threads that so many threads, at least, make.
inline unsigned blocks_of(std::int64_t threads) {
  return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

}  // namespace cisolve
