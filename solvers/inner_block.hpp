#pragma once

#include <memory>
#include <vector>

#include "core/dense/host_matrix.hpp"
#include "core/types.hpp"
#include "spmv/linear_operator.hpp"

namespace cisolve {

/// A over a space of more dimensions than can be diagonalised, known by its products; what
/// corrections divide by there. Its elements d, determinants say, stand for vectors over A's rows:
/// in one sector of A, by an isometry,
///   y_d = f_d x_{r(d)},   x_{r(d)} = y_d / f_d where f_d ≠ 0.
/// For one rank.
struct InnerBlock {
  /// The isometry of one sector.
  struct Part {
    std::vector<Index> rows;      ///< r(d); any where f_d = 0
    std::vector<double> factors;  ///< f_d
  };
  std::shared_ptr<LinearOperator> matrix;  ///< over the elements
  HostMatrix states;                       ///< its lowest eigenvectors, orthonormal
  std::vector<double> energies;            ///< of these
  std::vector<Part> parts;                 ///< of sectors in which corrections divide by it
};

}  // namespace cisolve
