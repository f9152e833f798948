#pragma once

#include <cstddef>
#include <span>

#include "core/array.hpp"
#include "hamiltonian/space/strings/orbital_string.hpp"
#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// Numbers that elements between determinants of one kind of electron are summed from
/// (Slater–Condon rules, chemists' notation): F_pq,i = (pq|ii) − (pi|iq) and G_pq,rs = (pr|qs) −
/// (ps|qr), p < q, r < s. Exactly F_qp,i = F_pq,i* and G_rs,pq = G_pq,rs*.
class SpinorTables {
 public:
  explicit SpinorTables(const SpinorIntegrals& integrals);

  static std::size_t pair(int p, int q) {  // p < q
    return static_cast<std::size_t>(q) * (q - 1) / 2 + p;
  }
  /// E_core + Σ_i h_ii + Σ_{i<j} [(ii|jj) − (ij|ji)]: a determinant's energy in Hartree.
  double energy(const OrbitalString& determinant) const;
  /// h_pq + Σ_{i in common} F_pq,i: ⟨I|Ĥ|J⟩ of determinants that are `common`, ascending, and one
  /// electron, I's in p, J's in q ≠ p; its sign aside. Spinors 2i and 2i + 1 are added to each
  /// other first: of Kramers pairs the sum of determinants turned round in time has the same bits.
  Complex single(int p, int q, std::span<const int> common) const;
  /// G_pq,rs at [2 pair(r, s)] (re) and behind it (im) for all r < s, 0 where {p, q} and {r, s}
  /// have a spinor in common: ⟨I|Ĥ|J⟩ of determinants that differ by two electrons, I's in p < q;
  /// its sign aside.
  const double* doubles(int p, int q) const { return doubles_.data() + 2 * pairs_ * pair(p, q); }
  /// Bytes of host memory over n spinors.
  static double bytes_for(double n) { return 16 * n * n * (n + 1) + 4 * n * n * (n - 1) * (n - 1); }
  std::size_t bytes() const {
    return (one_.size() + fields_.size() + doubles_.size()) * sizeof(double);
  }

 private:
  void fill_fields(const SpinorIntegrals& integrals);
  void fill_doubles(const SpinorIntegrals& integrals);
  std::size_t place(int p, int q) const { return static_cast<std::size_t>(p) * n_ + q; }

  std::size_t n_, pairs_;
  double core_energy_;
  Array<double> one_;      ///< h_pq, re and im
  Array<double> fields_;   ///< F, re and im, i fastest
  Array<double> doubles_;  ///< G, re and im, whole
};

}  // namespace cisolve
