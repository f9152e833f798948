#pragma once

#include <vector>

#include "cisolve/eigen.hpp"
#include "core/dense/host_matrix.hpp"
#include "hamiltonian/density/determinant_survey.hpp"

namespace cisolve {

/// Coefficients that differ by no more of the largest of them count as equal: what symmetry makes
/// equal differs by less once converged, that is by a residual over the distance to the next state.
inline constexpr double equal_coefficients = 1e-4;
/// Smaller ones, in magnitude, do not lead.
inline constexpr double smallest_leading = 1e-3;

/// The coefficient of largest magnitude, the first of equal ones: what is positive of a state.
double leading_coefficient(const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& x);

/// Coefficients above smallest_leading, at most `count`, the largest first, equal ones by row.
std::vector<LeadingRow> leading_rows(const HostVector& x, int count);

/// Leading determinants of a vector from its coefficients above smallest_leading, in the order of a
/// layout: by number in the space, the first one's coefficient positive.
std::vector<LeadingRow> leading_determinants(const DirectLayout& layout,
                                             const std::vector<PlacedCoefficient>& large,
                                             int count);

}  // namespace cisolve
