#pragma once

#include <memory>

#include "app/input/callers_product.hpp"
#include "app/ways/way.hpp"

namespace cisolve {

/// Products made by the caller; on a device the vectors come to the host and go back. Questions for
/// elements learn little: the p-space has the diagonal alone, the matrix counts as one block.
///
/// Before anything else it is multiplied with random vectors, two, or ten where the diagonal is not
/// known and these estimate it (product_probe). Throws InputError where products are not those of a
/// symmetric matrix, or not finite, and where the configuration asks for what needs elements.
Way product_way(std::shared_ptr<const CallersProduct> product);

}  // namespace cisolve
