#pragma once

#include <optional>

#include "hamiltonian/space/space_sizes.hpp"

namespace cisolve {

/// Approximate bytes of a solve in a CI space.
struct SpaceBytes {
  double vector = 0.0;
  double csr = 0.0, packed = 0.0;  ///< the matrix, stored so
  /// All vectors of a solve for one state without a matrix; of full CI alone.
  std::optional<double> direct;
};

SpaceBytes bytes_of(const SpaceSize& size);

}  // namespace cisolve
