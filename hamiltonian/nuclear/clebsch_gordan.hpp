#pragma once

namespace cisolve {

/// The Clebsch–Gordan coefficient ⟨j₁ m₁ j₂ m₂|J M⟩, Condon–Shortley phase, of twice each number;
/// 0 where it is forbidden. To rounding for 2j up to 60. Racah's formula: Edmonds, Angular Momentum
/// in Quantum Mechanics (1957), (3.6.11).
double clebsch_gordan(int twice_j1, int twice_m1, int twice_j2, int twice_m2, int twice_j,
                      int twice_m);

}  // namespace cisolve
