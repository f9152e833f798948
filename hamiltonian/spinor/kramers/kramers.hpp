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

/// The mean of the integrals and those turned round in time,
///
///     h_pq := ½ (h_pq + s_p s_q h_q̄p̄),   (pq|rs) := ½ [(pq|rs) + s_p s_q s_r s_s (q̄p̄|s̄r̄)],
///
/// of an even number of spinors, in place. The Hamiltonian is then ½ (H + T H T⁻¹) and commutes
/// with time reversal T, bit for bit. The part taken away, D = ½ (H − T H T⁻¹), is odd under T: for
/// an odd number of electrons its mean over a Kramers pair of states is zero. A level is then the
/// mean of the two levels of H, up to the square of D; these are at most 2‖D‖ apart.
void time_average(SpinorIntegrals& integrals);

}  // namespace cisolve
