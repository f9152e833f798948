#pragma once

#include <complex>
#include <span>

#include "hamiltonian/spinor_product/spinor_density.hpp"

namespace cisolve {

/// Two-particle density over the pairs p < r of n spinors, host memory, of a state x or, ⟨bra| and
/// |ket⟩ being two, a transition:
///   M_pr,qs = ⟨bra| a†_p a†_r a_s a_q |ket⟩,
/// n(n − 1)/2 rows and columns, that of a pair r(r − 1)/2 + p; Hermitian where bra = ket, its trace
/// then the number of pairs of electrons.
using SpinorPairDensity = Eigen::MatrixXcd;

/// Two-particle density of vectors over the strings of a space, re and im side by side, in host
/// memory. Sums over the strings K of two electrons fewer, M_pr,qs = Σ_K ± ± bra*_K+p+r ket_K+q+s,
/// as products of matrices. Parallel; the same bits with any number of threads. 8 · strings K ·
/// pairs² flops, half of them where bra = ket; bytes: 16 pairs² and 8192 a pair, of two vectors
/// 16384. Throws ResourceError where there is no such memory.
SpinorPairDensity spinor_pair_density(const StringSpace& space, std::span<const double> bra,
                                      std::span<const double> ket);

/// `all`, n⁴ numbers := Γ_pqrs = ⟨bra| a†_p a†_r a_s a_q |ket⟩ of all spinors, the order of PySCF's
/// fci_dhf_slow: E = Σ h_pq γ_qp + ½ Σ (pq|rs) Γ_pqrs.
void over_all_spinors(const SpinorPairDensity& pairs, int spinors,
                      std::span<std::complex<double>> all);

}  // namespace cisolve
