#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cisolve/linear.hpp"
#include "solvers/linear/spectrum/jacobi_spectrum.hpp"

namespace cisolve {

class LinearStep;
class LinearSystem;
struct LinearOptions;

/// Signs of a solve that leads nowhere.
struct Patience {
  int iterations;         ///< without a new smallest residual
  double largest_growth;  ///< of a residual over its smallest
};

/// Weights of relaxation: which a method has.
enum class Weights {
  none,
  one,                 ///< ω, or 1 where it is not given
  of_interval_or_one,  ///< ω, or that of the interval of M⁻¹S, or 1 where that is not known
  of_interval,         ///< ω, or that of the interval
  several              ///< of the interval, whatever ω is
};

/// The step of a method, for blocks of so many vectors; the interval is there where it is needed.
using MakeLinearStep = std::unique_ptr<LinearStep>(LinearSystem&, const LinearOptions&,
                                                   const std::optional<Interval>&, int columns);

/// Traits of a linear solver beside its LinearStep. A new one is a LinearMethod and a file
/// steps/NAME.cpp with the step and a function NAME_linear_method() that returns these.
struct LinearMethodTraits {
  LinearMethod method;
  bool any_matrix = false;  ///< takes a matrix that is not symmetric; with a weight of the interval
                            ///< also where ω is given
  bool needs_definite = false;  ///< diverges or breaks down where a symmetric matrix is not
                                ///< definite; to the others a zero of D may count as one
  bool recurs = false;          ///< has its residuals by recurrence, not from X
  Weights weights = Weights::none;
  int products = 1;  ///< in an iteration
  int vectors = 0;   ///< n × k blocks it allocates, beside x, b of both units, r and the best x
  int vectors_a_depth = 0;  ///< and for each of the differences that anderson_jacobi keeps
  Patience patience;
  MakeLinearStep* make;
};

inline constexpr Patience patience_of_relaxation{50, 1e4};
inline constexpr Patience patience_of_cycles{4 * 64, 1e8};  // residuals grow within a cycle
inline constexpr Patience patience_of_krylov{500, 1e8};

/// Traits of all methods but `automatic`, in the order of LinearMethod.
const std::vector<LinearMethodTraits>& linear_methods();

/// Traits of a method; `automatic`, before it is one of them, has those of bicgstab, which takes
/// any matrix.
const LinearMethodTraits& traits_of(LinearMethod method);

/// ω that the method relaxes with; 0 of those that have none, or several. `interval`: of M⁻¹S,
/// where known.
double relaxation_weight(const LinearOptions& options, const std::optional<Interval>& interval);

/// True if the method needs [λmin, λmax] of M⁻¹S, with that ω.
constexpr bool needs_interval(const LinearMethodTraits& traits, double omega) {
  return traits.weights == Weights::several ||
         (traits.weights == Weights::of_interval && omega == 0.0);
}

/// True if it takes a matrix that is not symmetric, with that ω.
constexpr bool takes_any_matrix(const LinearMethodTraits& traits, double omega) {
  return traits.any_matrix || (traits.weights == Weights::of_interval && omega > 0.0);
}

}  // namespace cisolve
