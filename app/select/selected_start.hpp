#pragma once

#include <functional>

#include "app/prepare/context.hpp"
#include "app/solve/eigen/eigen.hpp"

namespace cisolve {

/// Vectors as solver.start says for full CI without a matrix: where that asks for it, or it pays,
/// the lowest states over the most important determinants. `goes_on`: asked often meanwhile; once
/// it says no, there are none. The returned function throws InputError if the selection asked for
/// is impossible. The context must outlive it.
MakeStart selected_start(const RunContext& context, std::function<bool()> goes_on);

}  // namespace cisolve
