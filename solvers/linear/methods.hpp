#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

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

/// Traits of a linear solver beside its LinearStep. A new one is a step, a LinearMethod and a line
/// of `linear_methods`.
struct LinearMethodTraits {
  LinearMethod method;
  const char* name;  ///< in run files, flags and reports
  bool any_matrix;   ///< takes a matrix that is not symmetric; with a weight of the interval also
                     ///< where ω is given
  bool needs_definite;  ///< diverges or breaks down where a symmetric matrix is not definite; to
                        ///< the others a zero of D may count as one
  bool recurs;          ///< has its residuals by recurrence, not from X
  Weights weights;
  int products;         ///< in an iteration
  int vectors;          ///< n × k blocks it allocates, beside x, b of both units, r and the best x
  int vectors_a_depth;  ///< and for each of the differences that anderson_jacobi keeps
  Patience patience;
  MakeLinearStep* make;
};

// Each in its file, which cites its source.
MakeLinearStep make_jacobi, make_srj, make_chebyshev_jacobi, make_anderson_jacobi, make_cg,
    make_minres, make_bicgstab;

inline constexpr Patience patience_of_relaxation{50, 1e4};
inline constexpr Patience patience_of_cycles{4 * 64, 1e8};  // residuals grow within a cycle
inline constexpr Patience patience_of_krylov{500, 1e8};

inline constexpr std::array linear_methods{
    LinearMethodTraits{LinearMethod::jacobi, "jacobi", true, true, false, Weights::one, 1, 0, 0,
                       patience_of_relaxation, make_jacobi},
    LinearMethodTraits{LinearMethod::jor, "jor", false, true, false, Weights::of_interval, 1, 0, 0,
                       patience_of_relaxation, make_jacobi},
    LinearMethodTraits{LinearMethod::block_jacobi, "block_jacobi", true, true, false,
                       Weights::of_interval_or_one, 1, 0, 0, patience_of_relaxation, make_jacobi},
    LinearMethodTraits{LinearMethod::srj, "srj", false, true, false, Weights::several, 1, 0, 0,
                       patience_of_cycles, make_srj},
    LinearMethodTraits{LinearMethod::chebyshev_jacobi, "chebyshev_jacobi", false, true, false,
                       Weights::several, 1, 1, 0, patience_of_relaxation, make_chebyshev_jacobi},
    LinearMethodTraits{LinearMethod::anderson_jacobi, "anderson_jacobi", false, true, false,
                       Weights::of_interval, 1, 2, 2, patience_of_relaxation, make_anderson_jacobi},
    LinearMethodTraits{LinearMethod::cg, "cg", false, true, true, Weights::none, 1, 3, 0,
                       patience_of_krylov, make_cg},
    LinearMethodTraits{LinearMethod::minres, "minres", false, false, true, Weights::none, 1, 6, 0,
                       patience_of_krylov, make_minres},
    LinearMethodTraits{LinearMethod::bicgstab, "bicgstab", true, false, true, Weights::none, 2, 5,
                       0, patience_of_krylov, make_bicgstab},
};

/// Traits of a method; `automatic`, before it is one of them, has those of the last, which takes
/// any matrix.
constexpr const LinearMethodTraits& traits_of(LinearMethod method) {
  for (const LinearMethodTraits& traits : linear_methods) {
    if (traits.method == method) return traits;
  }
  return linear_methods.back();
}

/// True if the method needs [λmin, λmax] of M⁻¹S, with that ω.
constexpr bool needs_interval(const LinearMethodTraits& traits, double omega) {
  return traits.weights == Weights::several ||
         (traits.weights == Weights::of_interval && omega == 0.0);
}

/// True if it takes a matrix that is not symmetric, with that ω.
constexpr bool takes_any_matrix(const LinearMethodTraits& traits, double omega) {
  return traits.any_matrix || (traits.weights == Weights::of_interval && omega > 0.0);
}

/// Methods and their names, as tables of names are.
inline constexpr auto linear_method_names = [] {
  std::array<std::pair<LinearMethod, const char*>, linear_methods.size() + 1> names{};
  names[0] = {LinearMethod::automatic, "auto"};
  for (std::size_t i = 0; i < linear_methods.size(); ++i) {
    names[i + 1] = {linear_methods[i].method, linear_methods[i].name};
  }
  return names;
}();

}  // namespace cisolve
