#pragma once

namespace cisolve {

/// Numbers in a vector register of the instruction set that is compiled for. A wider vector of the
/// compiler's is worked by way of memory.
#if defined(__AVX512F__)
constexpr int register_width = 8;
#elif defined(__AVX__)
constexpr int register_width = 4;
#else
constexpr int register_width = 2;
#endif

}  // namespace cisolve
