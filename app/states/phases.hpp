#pragma once

#include "backends/backend.hpp"

namespace cisolve {

/// The largest element of every vector, the first of equal ones (equal_coefficients), becomes real
/// and positive: x := xc with c of length one. Vectors over K of so many components are real blocks
/// (backends/field/field_backend.hpp).
void fix_phases(View x, Backend& backend, int components);

}  // namespace cisolve
