#pragma once

#include <cstddef>
#include <ostream>

#include "backends/backend.hpp"
#include "core/types.hpp"

namespace cisolve {

/// What a run is about to allocate, known once the rows' lengths are.
struct MemoryNeed {
  Index rows = 0;
  Offset nonzeros = 0;
  std::size_t host_matrix = 0;  ///< bytes still to be allocated for the matrix in host memory
  /// Bytes of the operator, taken as those of CSR; a format that pads more is checked exactly when
  /// the matrix is there. 0 where the operator keeps the host matrix.
  std::size_t operator_matrix = 0;
  std::size_t vectors = 0;  ///< bytes of the solver's vectors
};

/// Writes one line with these numbers and what is available. Throws ResourceError with the same
/// numbers when host or device has less.
void announce_and_check(const MemoryNeed& need, const Backend& backend, std::ostream& out);

}  // namespace cisolve
