#pragma once

#include <array>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/integrals/integrals.hpp"

namespace cisolve {

/// One-particle densities of each spin σ, orbitals × orbitals, host memory; of a state x or, ⟨bra|
/// and |ket⟩ being two, a transition:
///   γ^σ_pq = ⟨bra| a†_qσ a_pσ |ket⟩,
/// the order of McWeeny and PySCF (rdm1, trans_rdm1): symmetric where bra = ket.
using OneDensities = std::array<HostMatrix, 2>;

/// Densities of a real state x, ⟨bra| and |ket⟩, or of a transition; host memory, no units; m
/// orbitals of each spin, p q r s from 0:
///   γ^σ_pq       = ⟨bra| a†_qσ a_pσ |ket⟩,                 one[σ], m × m,
///   Γ^στ_pq,rs   = ⟨bra| a†_pσ a†_rτ a_sτ a_qσ |ket⟩,      m² × m², element (p m + q, r m + s),
/// chemists' order, as the integrals (pq|rs) have it. For unrestricted orbitals p q are the first
/// spin's, r s the second's. Bytes: 24 m⁴. McWeeny, Methods of Molecular Quantum Mechanics, 1992,
/// ch. 5; as PySCF's make_rdm12s and trans_rdm12s.
struct Densities {
  OneDensities one;
  HostMatrix alpha_alpha, alpha_beta, beta_beta;
};

/// γ_pq = γ^α_pq + γ^β_pq, over restricted orbitals; its trace is the number of electrons N.
HostMatrix spin_summed(const OneDensities& densities);

/// Γ_pq,rs = Γ^αα_pq,rs + Γ^αβ_pq,rs + Γ^αβ_rs,pq + Γ^ββ_pq,rs, over restricted orbitals, m² × m²;
/// Σ_pr Γ_pp,rr = N (N − 1).
HostMatrix spin_summed_two(const Densities& densities);

/// The two-particle density of ⟨ket| and |bra⟩, of one spin or of both, from that of ⟨bra| and
/// |ket⟩: Γ_qp,sr at pq, rs.
HostMatrix reversed_two(const HostMatrix& two);

/// ⟨x|H|x⟩ in Hartree of a normalised x:
///   E_core + Σ_σ Σ h^σ_pq γ^σ_pq + ½ Σ [(pq|rs)^αα Γ^αα + (pq|rs)^ββ Γ^ββ]_pq,rs
///          + Σ (pq|rs)^αβ Γ^αβ_pq,rs.
double energy(const Integrals& integrals, const Densities& densities);

/// Γ^σσ of one spin from the Gram matrix of all pairs of electrons taken away,
///   Γ_pq,rs = ± ± G(pr, qs),  G(pr, qs) = ⟨a_p a_r bra | a_q a_s ket⟩,  p > r, q > s,
/// with a minus for either pair in ascending order: adds G of these pairs, p > q each, to `two`.
template <class Pairs>
void add_same_spin(const Pairs& pairs, const HostMatrix& g, int orbitals, HostMatrix& two) {
  const auto add = [&](int p, int r, int q, int s, double value) {
    two(p * orbitals + q, r * orbitals + s) += value;
  };
  for (Eigen::Index i = 0; i < g.rows(); ++i) {
    const auto [p, r] = pairs[i];
    for (Eigen::Index j = 0; j < g.cols(); ++j) {
      const auto [q, s] = pairs[j];
      add(p, r, q, s, g(i, j));
      add(r, p, s, q, g(i, j));
      add(p, r, s, q, -g(i, j));
      add(r, p, q, s, -g(i, j));
    }
  }
}

}  // namespace cisolve
