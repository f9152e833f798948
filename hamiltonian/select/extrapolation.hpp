#pragma once

#include <optional>
#include <span>

#include "cisolve/select.hpp"

namespace cisolve {

/// The energy at E2 = 0 of a line through (E2, E + E2), weighted by 1/E2², of the last five lists
/// or so (Holmes, Umrigar, Sharma, J. Chem. Phys. 2017, 147, 164111, extrapolate so). The
/// uncertainty is the largest of: the standard error of that energy, how far a parabola's is from
/// it (four lists and more), and half the way from the last E + E2 with that correction's
/// deviation. None of fewer than three lists, or where the corrections do not become smaller.
std::optional<Extrapolation> extrapolated(std::span<const double> energies,
                                          std::span<const double> corrections,
                                          double last_deviation);

}  // namespace cisolve
