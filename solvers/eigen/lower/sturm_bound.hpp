#pragma once

#include <span>

namespace cisolve {

/// The tridiagonal matrix T of m Lanczos steps: α_1 … α_m, and β_{j+1} behind α_j, the last one of
/// which couples v_m to v_{m+1}; zero where the Krylov space is whole.
struct LanczosMatrix {
  std::span<const double> alpha, beta;
};

/// True if T shows that eigenvalues at or below `end` lie within `width` of those `known`
/// (ascending), with the certainty that log Σ p_j² ≥ `needed` stands for (LanczosBound, which has
/// the polynomials p_j, none of whose zeros, the Ritz values, it takes below κ).
///
/// Asked for is one Ritz value within `width` of each that is known, and no other at or below
/// `end`. From one zero of p_m to the next log |p_m| is concave, so that p_m² is smallest at the
/// ends of what lies between the neighbourhoods; there it has to reach exp(needed). With the pivots
/// d_j of T − κ, |p_m(κ)| = Π |d_j| / β_{j+1}, and as many Ritz values lie below κ as pivots below
/// zero (Sturm).
bool excludes_others(const LanczosMatrix& t, std::span<const double> known, double width,
                     double end, double needed);

}  // namespace cisolve
