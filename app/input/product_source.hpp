#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/input/matrix_source.hpp"

namespace cisolve {

/// A symmetric matrix of which the caller has the products and, as a rule, the diagonal; nothing
/// else is known.
struct CallersProduct {
  Index rows = 0;
  std::vector<double> diagonal;  ///< a_ii, one a row; empty: not known
  /// Y := AX in host memory; X and Y are rows × k, row by row: element (i, j) at i k + j.
  std::function<void(const double* x, double* y, int k)> multiply;
};

/// Its products made by the caller; on a device the vectors come to the host and go back. What
/// needs elements says little: the p-space has the diagonal alone, the matrix counts as one block.
///
/// Before anything else it is multiplied with random vectors, two, or ten where the diagonal is not
/// known and these estimate it (product_probe). Throws InputError where products are not those of a
/// symmetric matrix, or not finite.
std::unique_ptr<MatrixSource> product_source(std::shared_ptr<const CallersProduct> product);

}  // namespace cisolve
