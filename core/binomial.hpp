#pragma once

#include <cmath>

namespace cisolve {

/// Ways to choose k of n, 0 where k is more.
inline double binomial(int n, int k) {
  double result = 1.0;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return std::round(result);
}

}  // namespace cisolve
