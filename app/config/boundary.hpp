#pragma once

#include <string>

#include "app/config/config.hpp"
#include "core/types.hpp"

namespace cisolve {

/// Throws InputError, naming the key, on a boundary of the hybrid format that says nothing: a value
/// without `by`, or a boundary where another format was asked for. Returns a note where the format
/// is `auto`, else nothing.
std::string check_boundary(const SpmvConfig& config, const Format& chosen_format);

/// Throws InputError when the boundary is beyond the columns.
void check_boundary_value(const Boundary& boundary, Index columns);

}  // namespace cisolve
