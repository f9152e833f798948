#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/input/matrix_source.hpp"

namespace cisolve {

/// A symmetric matrix of which the caller has the products and the diagonal, nothing else.
struct CallersProduct {
  std::vector<double> diagonal;  ///< a_ii, one a row
  /// Y := AX in host memory; X and Y are rows × k, row by row: element (i, j) at i k + j.
  std::function<void(const double* x, double* y, int k)> multiply;
};

/// Its products made by the caller; on a device the vectors come to the host and go back. What
/// needs elements says little: the p-space has the diagonal alone, the matrix counts as one block.
std::unique_ptr<MatrixSource> product_source(std::shared_ptr<const CallersProduct> product);

}  // namespace cisolve
