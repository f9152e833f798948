#pragma once

#include <vector>

#include "core/host_matrix.hpp"

namespace cisolve {

/// Eigenvalues of a one-particle density of both spins together (spin_summed), descending: from 2
/// to 0 (Löwdin, Phys. Rev. 1955, 97, 1474).
std::vector<double> natural_occupations(const HostMatrix& density);

}  // namespace cisolve
