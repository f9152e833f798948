#pragma once

#include <array>
#include <vector>

#include "core/host_matrix.hpp"
#include "hamiltonian/direct/direct_tables.hpp"

namespace cisolve {

/// Σ c² over the determinants of rank 0, 1, 2 … (rank_weights over determinants says more) of a
/// vector over the rows of a direct product, in host memory; where parities are told apart, of one
/// that has one of them. Parallel, the same bits for any number of threads.
std::vector<double> rank_weights(const DirectTables& tables, const HostVector& x);

/// Sums of squared coefficients by the irrep of the determinants, as irrep_weights over these.
std::array<double, 8> irrep_weights(const DirectTables& tables, const HostVector& x);

}  // namespace cisolve
