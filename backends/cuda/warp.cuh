#pragma once

namespace cisolve {

inline constexpr int warp = 32;                     ///< lanes
inline constexpr unsigned full_warp = 0xffffffffu;  ///< the mask of all lanes
/// Threads of a block, where nothing speaks for another number.
inline constexpr int block_threads = 256;

}  // namespace cisolve
