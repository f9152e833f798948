#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "hamiltonian/space/strings/string_space.hpp"

namespace cisolve {

/// One-particle density over n spinors, host memory, of a state x or, ⟨bra| and |ket⟩ being two, a
/// transition: γ_pq = ⟨bra| a†_q a_p |ket⟩, n × n, the order of McWeeny; Hermitian where bra =
/// ket, its trace then the number of electrons. PySCF's fci_dhf_slow gives the transpose.
using SpinorDensity = Eigen::MatrixXcd;

/// Density of vectors over the strings of a space, re and im side by side, in host memory. Sums
/// over the strings K of one electron fewer, γ_pq = Σ_K ± ± bra*_K+q ket_K+p. Parallel; the same
/// bits with any number of threads. O(strings · electrons · spinors).
SpinorDensity spinor_density(const StringSpace& space, std::span<const double> bra,
                             std::span<const double> ket);

/// Eigenvectors of a density as columns and its eigenvalues, descending: from 1 to 0.
struct NaturalSpinors {
  std::vector<double> occupations;
  Eigen::MatrixXcd spinors;
};
NaturalSpinors natural_spinors(const SpinorDensity& density);

}  // namespace cisolve
