#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "backends/view.hpp"
#include "core/dense/host_matrix.hpp"

namespace cisolve {

class LinearSystem;

/// Interval of eigenvalues.
struct Interval {
  double lowest = 0.0, highest = 0.0;
};

/// Spectrum from m Lanczos steps of ±|M|^-½ S |M|^-½, S = A − σ symmetric, M the part of it that is
/// divided by, the sign being that of M; for a definite M that has the eigenvalues of M⁻¹S.
///
/// Steps begin from b, the sum of its columns, and beside that from random numbers: b alone tells
/// what a method needs, for it may lie in few dimensions or in a few of the matrix's blocks; but
/// where eigenvalues lie that rounding will bring in, random numbers tell.
struct JacobiSpectrum {
  /// The Ritz values, ascending, and the parts that b has of them, summing to 1: nodes and weights
  /// of Gauss quadrature (Golub, Welsch, Math. Comput. 1969, 23, 221), exact for polynomials of
  /// degree 2m − 1.
  HostVector nodes, weights;
  /// Nodes and weights from random numbers.
  HostVector random_nodes, random_weights;
  /// The extreme nodes of both, moved outwards by the error that their residuals ρ leave them,
  /// min(ρ, ρ² / gap) (Kato, Temple), the lowest no further than to half of it.
  Interval interval;
  double lowest_node = 0.0;  ///< of both
  bool definite = false;     ///< M is, and no node contradicts that S is
  bool singular = false;     ///< M is definite, and to rounding a node is zero and none is below
  int steps = 0;             ///< m ≥ 1, a product of two vectors each
  bool exhausted = false;    ///< those from b ended early: its nodes are all eigenvalues that b has
                             ///< part in
  bool exhausted_all = false;  ///< those from random numbers, too
};

/// At most `steps` ≥ 1 steps of Lanczos; B is n × k. None where they met a number that is not
/// finite, or `go_on`, asked before each, says no.
std::optional<JacobiSpectrum> jacobi_spectrum(LinearSystem& system, ConstView b, int steps,
                                              std::uint64_t seed,
                                              const std::function<bool()>& go_on = {});

}  // namespace cisolve
