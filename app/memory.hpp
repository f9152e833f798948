#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "backends/backend.hpp"

namespace cisolve {

/// What a run is about to allocate, in bytes.
struct MemoryNeed {
  std::string size;             ///< of the matrix, for people: "10 rows, 20 nonzeros"
  std::size_t host_matrix = 0;  ///< still to be allocated for the matrix in host memory
  /// The operator, taken as CSR; a format that pads more is checked exactly when the matrix is
  /// there. 0 where the operator keeps the host matrix.
  std::size_t operator_matrix = 0;
  std::size_t vectors = 0;  ///< the solver's
  /// The dense block of the start vectors and its eigenvectors, on the host.
  std::size_t p_space = 0;
  std::size_t scratch = 0;  ///< of products, beside the operator (Format::scratch)
};

/// Writes one line with these numbers and what is available. Throws ResourceError with the same
/// numbers when host or device has less.
void announce_and_check(const MemoryNeed& need, const Backend& backend, std::ostream& out);

}  // namespace cisolve
