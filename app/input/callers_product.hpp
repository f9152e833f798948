#pragma once

#include <functional>
#include <vector>

#include "core/types.hpp"

namespace cisolve {

/// A symmetric matrix of which the caller has the products and, as a rule, the diagonal; nothing
/// else is known.
struct CallersProduct {
  Index rows = 0;
  std::vector<double> diagonal;  ///< a_ii, one a row; empty: not known
  /// Y := AX in host memory; X and Y are numbers() × k, row by row: element (i, j) at i k + j.
  std::function<void(const double* x, double* y, int k)> multiply;
  int components = 1;  ///< real numbers of an element, which are neighbouring rows there

  Index numbers() const { return components * rows; }
};

}  // namespace cisolve
