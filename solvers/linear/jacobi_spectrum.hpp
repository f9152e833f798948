#pragma once

#include <cstdint>
#include <optional>

#include "backends/view.hpp"
#include "core/host_matrix.hpp"

namespace cisolve {

class LinearSystem;

/// Where eigenvalues lie.
struct Interval {
  double lowest = 0.0, highest = 0.0;
};

/// What m Lanczos steps tell of ±|M|^-½ S |M|^-½, S = A − σ symmetric, M the part of it that is
/// divided by, the sign being that of M; for a definite M that has the eigenvalues of M⁻¹S.
struct JacobiSpectrum {
  /// The Ritz values, ascending, and the parts that the start vector, a mixture of b and random
  /// numbers, has of them, summing to 1: nodes and weights of Gauss quadrature (Golub, Welsch,
  /// Math. Comput. 1969, 23, 221), exact for polynomials of degree 2m − 1.
  HostVector nodes, weights;
  /// The extreme nodes, moved outwards by the error that their residuals ρ leave them,
  /// min(ρ, ρ² / gap) (Kato, Temple), the lowest no further than to half of it.
  Interval interval;
  bool definite = false;  ///< M is, and no node contradicts that S is
  int steps = 0;          ///< m ≥ 1, a product each
  bool exhausted =
      false;  ///< the steps ended early: the nodes are all eigenvalues that b has part in
};

/// At most `steps` ≥ 1 steps of Lanczos; B is n × k. None where they met a number that is not
/// finite.
std::optional<JacobiSpectrum> jacobi_spectrum(LinearSystem& system, ConstView b, int steps,
                                              std::uint64_t seed);

}  // namespace cisolve
