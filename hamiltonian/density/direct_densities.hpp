#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "hamiltonian/density/densities.hpp"
#include "hamiltonian/density/grams/density_grams.hpp"

namespace cisolve {

/// Densities of full CI vectors, on either backend, without the vectors' excitations:
///   Γ^αβ_qp,rs = ⟨E^α_pq x|E^β_rs y⟩, where E^α_pq x are but other rows of x with a sign;
///   Γ^σσ       = Gram matrices of a_s a_r x and a_s a_r y over strings of two electrons fewer
///                (add_same_spin), of ⟨x| and |y⟩.
/// Vectors have layout.size() elements in the order of the layout (to_layout), in the backend's
/// memory; results lie in host memory, the same bits on every run, with any number of threads.
/// Flops a determinant without symmetry, m orbitals, n electrons of each spin: about
/// m² · n (m − n) on the CPU; m³ (m + 1) on a GPU, with the pairs that do not excite a
/// string. Bytes: tables of O(m² · strings), and what DensityGrams says. Olsen, Roos, Jørgensen and
/// Jensen, J. Chem. Phys. 1988, 89, 2185; Knowles and Handy, Chem. Phys. Lett. 1984, 111, 315.
/// Layout and backend must outlive it. Throws ResourceError without memory.
class DirectDensities {
 public:
  DirectDensities(const DirectLayout& layout, Backend& backend,
                  DensityOrder order = DensityOrder::two_particle);

  /// Needs the tables of two particles. Densities of a transition, or of a state if bra and ket are
  /// the same, which takes half as long.
  Densities of(const double* bra, const double* ket) const;
  /// γ^σ_pq = ⟨bra| a†_qσ a_pσ |ket⟩ alone; bra and ket may be the same.
  OneDensities one(const double* bra, const double* ket) const;

 private:
  DensityTables tables_;
  std::unique_ptr<DensityGrams> grams_;
};

/// A vector in the order of the space, both in host memory, as it lies in the layout of that space.
HostVector to_layout(const DirectLayout& layout, const CiSpace& space,
                     const Eigen::Ref<const HostVector, 0, Eigen::InnerStride<>>& x);

}  // namespace cisolve
