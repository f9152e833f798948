#pragma once

#include "backends/backend.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// What tuning found: the kernel now in use, and what it gained.
struct Tuning {
  Kernel kernel;
  double seconds = 0.0;          ///< of a product with it
  double default_seconds = 0.0;  ///< with the kernel that was in use before
  int tried = 0;                 ///< kernels measured; 0: the format has no choice
};

/// Times products of A with a block of `columns` vectors by every kernel it names and by the one in
/// use, and leaves the fastest in use (medians of five after one to warm up; one alone where a
/// product takes longer than a second). Takes 2 · columns vectors of backend memory.
Tuning tune(LinearOperator& a, Backend& backend, int columns, const Kernel& in_use);

/// "dynamic chunks of 128 rows" or "32 threads a row, blocks of 512": a kernel for people.
std::string describe(const Kernel& kernel, BackendKind backend);
/// What was found, in a sentence: "tuned csr: guided chunks of 16 rows, 1.08 x as fast as before".
std::string describe(const Tuning& tuning, const std::string& format, BackendKind backend);

}  // namespace cisolve
