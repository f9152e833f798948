#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/hamiltonian.hpp"
#include "cisolve/machine.hpp"

namespace cisolve {

/// Densities of states over m active orbitals, without units, in PySCF's order; of unrestricted
/// orbitals p q are the first spin's, r s the second's (docs/conventions.md).
struct DensityMatrices {
  int orbitals = 0;  ///< m
  int states = 0;    ///< k
  /// ⟨i| a†_qσ a_pσ |j⟩ of all pairs of states: element (i, j, σ, p, q), k × k × 2 × m × m.
  std::vector<double> one;
  /// ⟨i| a†_pσ a†_rτ a_sτ a_qσ |i⟩ for στ = αα, αβ, ββ: element (i, στ, p, q, r, s),
  /// k × 3 × m⁴; empty where not asked for.
  std::vector<double> two;
};

/// Densities of vectors over the determinants of a Hamiltonian of integrals. The vectors are rows ×
/// states, as Eigenstates::vectors, and are not normalised here. Throws InputError if there are no
/// determinants or the vectors have another size, and ResourceError.
DensityMatrices density_matrices(const Hamiltonian& hamiltonian, const VectorBlock& vectors,
                                 bool two, const Machine& machine = {});

/// Transition densities of ⟨bra| and |ket⟩, one vector each as above, as PySCF's trans_rdm12s:
/// ⟨bra| a†_qσ a_pσ |ket⟩ in `one`, 2 × m × m, and ⟨bra| a†_pσ a†_rτ a_sτ a_qσ |ket⟩ for στ = αα,
/// αβ, ββ in `two`, 3 × m⁴. `states` is 1. Γ^βα_pqrs is Γ^αβ_rspq. Throws as density_matrices.
DensityMatrices transition_density_matrices(const Hamiltonian& hamiltonian,
                                            std::span<const double> bra,
                                            std::span<const double> ket,
                                            const Machine& machine = {});

/// Complex densities of k states over n active spinors, without units. A state's energy is
/// Σ h_pq γ_qp + ½ Σ (pq|rs) Γ_pqrs and the core energy. PySCF's fci_dhf_slow has γ transposed, and
/// Γ in this order.
struct SpinorDensityMatrices {
  int spinors = 0;  ///< n
  int states = 0;   ///< k
  std::vector<std::complex<double>>
      one;  ///< γ_pq = ⟨i| a†_q a_p |j⟩ at (i, j, p, q), k × k × n × n
  /// Γ_pqrs = ⟨i| a†_p a†_r a_s a_q |i⟩, k × n⁴; empty where not asked for.
  std::vector<std::complex<double>> two;
};

/// Densities of k vectors, one behind another, over the determinants of a Hamiltonian of spinors,
/// re and im of an element side by side. In host memory, on the CPU. Throws InputError where the
/// Hamiltonian has no spinors or vectors another size, and ResourceError.
SpinorDensityMatrices spinor_density_matrices(const Hamiltonian& hamiltonian,
                                              std::span<const double> states, int k, bool two,
                                              const Machine& machine = {});

/// The two-particle density ⟨bra| a†_p a†_r a_s a_q |ket⟩ of such vectors, n⁴. Throws likewise.
std::vector<std::complex<double>> spinor_transition_density(const Hamiltonian& hamiltonian,
                                                            std::span<const double> bra,
                                                            std::span<const double> ket,
                                                            const Machine& machine = {});

/// Densities of a vector over all strings of so many electrons in spinors, strings ascending as
/// numbers. Throws InputError where it has another size, and ResourceError.
SpinorDensityMatrices spinor_density_matrices(int spinors, int electrons,
                                              std::span<const double> vector, bool two,
                                              const Machine& machine = {});

/// Three-particle density Γ_ijk,lmn = Σ_στυ ⟨x| a†_iσ a†_jτ a†_kυ a_nυ a_mτ a_lσ |x⟩ of a vector
/// over the determinants of a Hamiltonian of restricted orbitals, m at most 64. Element (i, j, k,
/// l, m, n) of m⁶; PySCF's make_rdm123 has it at (i, l, j, m, k, n). Irreps are not used: bytes and
/// time are those of all strings of either spin. Throws as density_matrices.
std::vector<double> three_particle_density(const Hamiltonian& hamiltonian,
                                           std::span<const double> vector,
                                           const Machine& machine = {});

/// The four-particle density with three indices of (ce|df) summed over,
///   Σ_στυ ⟨x| a†_iσ a†_jτ a†_kυ a_lσ a_mτ V_cυ |x⟩,  V_cυ = Σ_edf (ce|df) a_eυ Σ_τ a†_dτ a_fτ,
/// element (i, j, k, l, m, c) of m⁶: what second-order perturbation theory (NEVPT2) takes.
/// `integrals` are m⁴, (ce|df) = (ce|fd). Throws as above.
std::vector<double> contracted_four_particle_density(const Hamiltonian& hamiltonian,
                                                     std::span<const double> vector,
                                                     std::span<const double> integrals,
                                                     const Machine& machine = {});

/// Integrals for dipole moments, in atomic units: ⟨p|x|q⟩, ⟨p|y|q⟩, ⟨p|z|q⟩, the electron's
/// position in Bohr without its charge, over all m orbitals of a Hamiltonian, frozen ones included;
/// and the moment of the nuclei, Σ_A Z_A R_A.
struct PositionIntegrals {
  std::vector<double> values;          ///< 3 × m × m, symmetric
  std::array<double, 3> nuclear = {};  ///< x, y, z; minus ⟨r⟩ of electrons in the core energy
};

/// Dipole moments ⟨i|μ|j⟩ of all pairs of states in e Bohr, with the nuclei and frozen electrons if
/// i = j: element (i, j, axis), k × k × 3. Vectors are as for `density_matrices`, over restricted
/// orbitals. Throws InputError and ResourceError.
std::vector<double> dipole_moments(const Hamiltonian& hamiltonian, const VectorBlock& vectors,
                                   const PositionIntegrals& integrals, const Machine& machine = {});

/// Determinants of the rows of a Hamiltonian of integrals, as bit masks: bit p is set if active
/// orbital p, from 0, is occupied by an alpha or beta electron. A string has one word for every 64
/// orbitals, lowest first: orbital p is bit p % 64 of word p / 64.
struct DeterminantMasks {
  int orbitals = 0;                  ///< active ones
  std::pair<int, int> electrons;     ///< alpha, beta
  int words = 1;                     ///< of a string
  std::vector<std::uint64_t> alpha;  ///< rows × words
  std::vector<std::uint64_t> beta;   ///< rows × words
  /// Numbers of alpha and beta strings if every pair is a determinant, in row a·strings.second + b;
  /// else 0, 0.
  std::pair<std::int64_t, std::int64_t> strings;
  double core_energy = 0.0;  ///< of nuclei and frozen electrons
};

/// Determinants of the rows of a Hamiltonian. Throws InputError if there are none.
DeterminantMasks determinant_masks(const Hamiltonian& hamiltonian);

}  // namespace cisolve
