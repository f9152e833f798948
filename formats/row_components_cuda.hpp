#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "formats/row_source.hpp"

namespace cisolve {

std::vector<Index> row_components(RowSource& a, Backend& backend);

}  // namespace cisolve
