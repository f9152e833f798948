#pragma once

#include "backends/backend.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// Result of tuning: the kernel now in use, and its gain.
struct Tuning {
  KernelSettings kernel;
  KernelSettings effective;      ///< what it comes to for these blocks
  double seconds = 0.0;          ///< of a product with it
  double default_seconds = 0.0;  ///< with the kernel that was in use before
  int tried = 0;                 ///< kernels that differ; 0: there is no choice

  /// True if another kernel than before is in use now.
  bool gained() const { return seconds < default_seconds; }
};

/// Times products of A with a block of `columns` vectors by the kernel in use and by every one that
/// A names and that comes to another (medians of five after one to warm up; one alone where a
/// product takes longer than a second). The fastest is then timed once more in turn with the one in
/// use, and takes its place if that shows a gain of two percent: the best of several equal ones
/// looks faster than it is. Takes 2 · columns vectors of backend memory.
Tuning tune(LinearOperator& a, Backend& backend, int columns, const KernelSettings& in_use);

/// "dynamic chunks of 128 rows" or "32 threads a row, blocks of 512": an effective kernel for
/// people.
std::string describe(const KernelSettings& kernel, BackendKind backend);
/// Result in a sentence: "tuned csr: guided chunks of 16 rows, 1.08 x as fast as before (7 tried)".
std::string describe(const Tuning& tuning, const std::string& format, BackendKind backend);

}  // namespace cisolve
