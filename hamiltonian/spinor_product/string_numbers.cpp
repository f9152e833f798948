#include "hamiltonian/spinor_product/string_numbers.hpp"

#include <cstddef>

namespace cisolve {

std::vector<std::uint32_t> binomials_below(int n, int width) {
  std::vector<std::uint32_t> c(static_cast<std::size_t>(n) * width, 0);
  for (int p = 0; p < n; ++p) {
    c[p * width] = 1;
    for (int k = 1; k < width && p > 0; ++k) {
      c[p * width + k] = c[(p - 1) * width + k - 1] + c[(p - 1) * width + k];
    }
  }
  return c;
}

}  // namespace cisolve
