#pragma once

#include <ostream>
#include <vector>

#include "app/config/json.hpp"
#include "app/config/units.hpp"
#include "app/report/part.hpp"

namespace cisolve {

/// The Heisenberg coupling J of two spin centres, H = −2 J S₁·S₂, between neighbouring total spins
/// S − 1 and S. As 2 S₁·S₂ = S(S + 1) − S₁(S₁ + 1) − S₂(S₂ + 1),
///   E(S) = −J S(S + 1) + const, so that J = (E(S − 1) − E(S)) / (2 S),
/// negative where the lower spin is lower in energy (antiferromagnetic). A ladder that is
/// Heisenberg's has the same J from every pair. In the unit of the energies.
struct ExchangeCoupling {
  int lower = 1, upper = 3;  ///< multiplicities 2S − 1 and 2S + 1
  double j = 0.0;
};

/// Couplings of the lowest states of every multiplicity, by rising spin; spins that have no
/// neighbour give none. None where not all parts converged (`status` is that of all), for a part
/// that is missing may have the lowest state of a spin; none of fewer than three multiplicities.
std::vector<ExchangeCoupling> exchange_couplings(const std::vector<PartReport>& parts,
                                                 SolveStatus status);

/// Formula, unit and values; null without any.
Json exchange_json(const std::vector<ExchangeCoupling>& couplings, Units units);
void print_exchange(std::ostream& out, const std::vector<ExchangeCoupling>& couplings, Units units);

}  // namespace cisolve
