#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "backends/backend.hpp"
#include "hamiltonian/select/expansion.hpp"

namespace cisolve {

struct CorrectionOptions {
  double target = 0.0;  ///< standard deviation that is enough, Hartree; 0: everything is summed
  std::uint64_t seed = 1;
  /// Asked between portions of the work; where it says no, they end.
  std::function<bool()> goes_on = {};
};

/// Second-order corrections of a list's states.
struct Correction {
  std::vector<double> energies;    ///< of each state, Hartree
  std::vector<double> deviations;  ///< standard deviation of each; 0: nothing was left out
  /// Largest magnitude of a first-order coefficient met, of each state: where it is not small, a
  /// determinant that matters is outside, and the correction means little.
  std::vector<double> coefficients;
  std::int64_t targets = 0;  ///< alpha strings that the Hamiltonian leads to
  std::int64_t summed = 0;   ///< of these
  bool cancelled = false;    ///< and what there is means nothing
};

/// Epstein–Nesbet energy of second order,
///
///     E2_j = Σ_A e_j(A),   e_j(A) = Σ_{B: |AB⟩ not listed} ⟨AB|Ĥ|Ψ_j⟩² / (E_j − ⟨AB|Ĥ|AB⟩),
///
/// over the alpha strings A that the Hamiltonian leads to, nothing screened. Where a deviation is
/// allowed, a sum over few of them is estimated: A is taken with probability π_A = min(1, N w_A /
/// Σw), w_A = Σ over the ways to A of H² c², a guess at e(A), and
///
///     E2 ≈ Σ_{π=1} e(A) + r Σ_{π<1} w_A + Σ_{taken, π<1} (e(A) − r w_A) / π_A,
///     r = Σ_{taken} e/π / Σ_{taken} w/π,   σ² = Σ_{taken} (1 − π) (e − r w)² / π²
///
/// (the ratio estimator of Poisson sampling: Särndal, Swensson, Wretman, Model Assisted Survey
/// Sampling, 1992, 5.6 and 7.3). N grows until σ is at most the target, and is that of 200 A or
/// more; A that were taken stay so. The strings with π = 1 are what a semistochastic correction
/// calls deterministic (Sharma, Holmes, Jeanmairet, Alavi, Umrigar, J. Chem. Theory Comput. 2017,
/// 13, 1595). Sums over B are made on the backend. The result depends on the seed and the kind of
/// backend (to rounding), and on no number of threads.
Correction second_order_correction(const Expansion& expansion, const CorrectionOptions& options,
                                   const Workplace& place);

}  // namespace cisolve
