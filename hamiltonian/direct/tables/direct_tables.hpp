#pragma once

#include <array>
#include <cstddef>

#include "core/dense/host_matrix.hpp"
#include "hamiltonian/direct/rows/direct_rows.hpp"
#include "hamiltonian/direct/tables/same_spin.hpp"
#include "hamiltonian/direct/tables/single_links.hpp"

namespace cisolve {

/// Tables for products with a full CI Hamiltonian, in host memory:
///   H = Σ_{t,u} V_tu X^β_t X^α_u + (αα) + (ββ),
/// t and u over the pairs of the beta and of the alpha orbitals, X_0 = 1 among them, so that V
/// holds the integrals (u|t), the one-electron ones, V_t0 = h^β_t and V_0u = h^α_u, and the core
/// energy, V_00. Blocked by irrep of the pair. Bytes: O(strings · electrons · holes).
/// Integrals and space, which is a full one, must outlive it.
struct DirectTables {
  /// `only`: its functions alone, where parities are known, else all; `none`: all. `ranks`: that
  /// share the rows.
  DirectTables(const Integrals& integrals, const CiSpace& space, Parity only = Parity::none,
               int ranks = 1);
  std::size_t bytes() const;

  const Integrals& integrals;
  const CiSpace& space;
  DirectLayout layout;
  DirectRows rows;
  AlphaLinks alpha_links;
  BetaLinks beta_links;
  std::array<SameSpin, 2> same_spin;
  std::array<HostMatrix, most_irreps> v;  ///< V_tu of each irrep at (u, t)
};

}  // namespace cisolve
