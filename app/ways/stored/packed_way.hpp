#pragma once

#include "app/input/elements/packed_elements.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// A matrix as its file holds it, packed, for eigenproblems. Throws InputError where the file says
/// that it is not symmetric.
Way packed_way(PackedElements& elements);

}  // namespace cisolve
