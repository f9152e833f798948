#pragma once

#include "app/input/elements/built_matrix.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// A matrix of quaternions over Kramers pairs, of which half the complex one (KramersMatrixBuilder)
/// is built in CSR in host memory and held in any format.
Way kramers_way(Elements& half);

}  // namespace cisolve
