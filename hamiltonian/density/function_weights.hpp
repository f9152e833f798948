#pragma once

#include <array>
#include <vector>

#include "hamiltonian/density/determinant_survey.hpp"
#include "hamiltonian/direct/tables/direct_tables.hpp"

namespace cisolve {

/// Σ c² over the determinants of rank 0, 1, 2 … (rank_weights over determinants says more) of a
/// vector in the order of the layout.
std::vector<double> rank_weights(const DirectTables& tables, const DeterminantSurvey& survey,
                                 const double* c);

/// Sums of squared coefficients by the irrep of the determinants, as irrep_weights over these, of a
/// vector over the rows of a direct product, n × 1, of which x has the rank's. All ranks call
/// alike.
std::array<double, 8> irrep_weights(const DirectTables& tables, ConstView x, Backend& backend);

}  // namespace cisolve
