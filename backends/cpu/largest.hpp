#pragma once

#include <span>
#include <utility>

#include "backends/view.hpp"

namespace cisolve::cpu {

/// elements_j := the first element of column j of largest magnitude, where all beyond elements_j
/// count as equal.
void first_of_largest(ConstView x, std::span<double> elements);

/// The lowest and the highest element.
std::pair<double, double> extremes(ConstView x);

}  // namespace cisolve::cpu
