#pragma once

#include <cstdint>

#include "backends/view.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {

class LinearSystem;

/// Where eigenvalues lie.
struct Interval {
  double lowest = 0.0, highest = 0.0;
};

/// What m Lanczos steps tell of ±|D|^-½ S |D|^-½, S = A − σ symmetric, D its diagonal, the sign
/// being that of D; for D of one sign that is D^-½ S D^-½, with the eigenvalues of D⁻¹S.
struct JacobiSpectrum {
  /// The Ritz values, ascending, and the parts that the start vector, a mixture of b and random
  /// numbers, has of them, summing to 1: nodes and weights of Gauss quadrature (Golub, Welsch,
  /// Math. Comput. 1969, 23, 221), exact for polynomials of degree 2m − 1.
  HostVector nodes, weights;
  /// The extreme nodes, moved outwards by the error that their residuals ρ leave them,
  /// min(ρ, ρ² / gap) (Kato, Temple), the lowest no further than to half of it.
  Interval interval;
  bool definite = false;  ///< D has one sign and no node contradicts that S is definite
  int steps = 0;          ///< m, a product each
  bool exhausted =
      false;  ///< the steps ended early: the nodes are all eigenvalues that b has part in
};

/// At most `steps` ≥ 1 steps of Lanczos; B is n × k.
JacobiSpectrum jacobi_spectrum(LinearSystem& system, ConstView b, int steps, std::uint64_t seed);

}  // namespace cisolve
