#pragma once

#include "hamiltonian/spinor/spinor_integrals.hpp"

namespace cisolve {

/// By how much spinors 2p and 2p + 1 (0-based) fail to be Kramers pairs, one the other turned round
/// in time: K φ_2p = φ_2p+1, K φ_2p+1 = −φ_2p. With p̄ the partner of p, s_p = 1 of even p and −1 of
/// odd ones, pairs have
///
///     s_p s_q h_p̄q̄ = h_qp,   s_p s_q (p̄q̄|rs) = (qp|rs).
///
/// The largest difference between the two sides of any of these, h as a part of the largest |h_pq|,
/// (pq|rs) as one of the largest |(pq|rs)|. Infinite for an odd number of spinors.
double kramers_deviation(const SpinorIntegrals& integrals);

/// Largest deviation of spinors that count as Kramers pairs: what is left of them in files whose
/// integrals are written to ten digits, or only above 1e-9.
inline constexpr double kramers_zero = 1e-8;

inline bool are_kramers_pairs(const SpinorIntegrals& integrals) {
  return kramers_deviation(integrals) <= kramers_zero;
}

}  // namespace cisolve
