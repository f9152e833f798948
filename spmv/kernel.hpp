#pragma once

#include <string>

#include "core/types.hpp"

namespace cisolve {

/// How the rows of a product are shared out among threads; a format's kernel reads what concerns
/// it (LinearOperator::effective_kernel says what that comes to). 0 leaves the choice to the
/// format.
struct Kernel {
  enum class Schedule { fixed, dynamic, guided };  ///< OpenMP's; fixed is its `static`
  Schedule schedule = Schedule::dynamic;           ///< CPU
  Index chunk = 128;                               ///< CPU: rows a thread takes at a time, ≥ 1
  int threads_per_row = 0;  ///< GPU: 8, 16 or 32, where a format's rows are runs of entries
  /// GPU: threads of a block, a multiple of 32. A kernel takes at most as many as its registers
  /// leave room for: 1024 where several threads have a row, 512 there for one vector, and 256
  /// where a thread has a row.
  int block_threads = 0;

  bool operator==(const Kernel&) const = default;
};

}  // namespace cisolve
