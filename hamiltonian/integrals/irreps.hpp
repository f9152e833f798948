#pragma once

#include <concepts>

namespace cisolve {

/// D2h has 8 irreps, its subgroups fewer: labels are 0 … 7.
inline constexpr int most_irreps = 8;

/// The product of irreps of D2h or one of its subgroups. Products add the bits of labels modulo 2:
/// each irrep is its own inverse, so that quotients are products.
constexpr int irrep_product(std::integral auto... labels) {
  return (labels ^ ...);
}

}  // namespace cisolve
