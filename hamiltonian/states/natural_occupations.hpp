#pragma once

#include <vector>

#include "core/dense/host_matrix.hpp"

namespace cisolve {

/// Eigenvectors of a one-particle density of both spins together (spin_summed), m × m, as columns,
/// and its eigenvalues, descending: from 2 to 0 (Löwdin, Phys. Rev. 1955, 97, 1474).
struct NaturalOrbitals {
  HostVector occupations;
  HostMatrix orbitals;
};
NaturalOrbitals natural_orbitals(const HostMatrix& density);

/// Their occupations.
std::vector<double> natural_occupations(const HostMatrix& density);

}  // namespace cisolve
