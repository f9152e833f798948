#include "solvers/linear/linear_step.hpp"

namespace cisolve {
namespace {

constexpr Patience of_relaxation{50, 1e4};
constexpr Patience of_cycles{4 * 64, 1e8};  // residuals grow within a cycle of weights
constexpr Patience of_krylov{500, 1e8};

}  // namespace

MethodTraits traits(LinearMethod method, const LinearOptions& options) {
  const bool given = options.omega > 0.0;
  switch (method) {
    case LinearMethod::jacobi:
    case LinearMethod::block_jacobi:
      return {true, true, false, false, 1, 0, of_relaxation};
    case LinearMethod::jor:
      return {given, true, !given, false, 1, 0, of_relaxation};
    case LinearMethod::srj:
      return {false, true, true, false, 1, 0, of_cycles};
    case LinearMethod::chebyshev_jacobi:
      return {false, true, true, false, 1, 1, of_relaxation};
    case LinearMethod::anderson_jacobi:
      return {given, true, !given, false, 1, 2 + 2 * options.anderson_depth, of_relaxation};
    case LinearMethod::cg:
      return {false, true, false, true, 1, 3, of_krylov};
    case LinearMethod::minres:
      return {false, false, false, true, 1, 6, of_krylov};
    case LinearMethod::bicgstab:
    case LinearMethod::automatic:
      break;
  }
  return {true, false, false, true, 2, 5, of_krylov};
}

double relaxation_weight(const LinearOptions& options, const std::optional<Interval>& interval) {
  switch (options.method) {
    case LinearMethod::jacobi:
      return options.omega > 0.0 ? options.omega : 1.0;
    case LinearMethod::block_jacobi:
      if (options.omega == 0.0 && !interval) return 1.0;
      [[fallthrough]];
    case LinearMethod::jor:
    case LinearMethod::anderson_jacobi:
      if (options.omega > 0.0) return options.omega;
      return interval ? 2.0 / (interval->lowest + interval->highest) : 0.0;
    default:
      return 0.0;
  }
}

std::unique_ptr<LinearStep> make_step(LinearSystem& system, const LinearOptions& options,
                                      const std::optional<Interval>& interval, int columns) {
  const double omega = relaxation_weight(options, interval);
  switch (options.method) {
    case LinearMethod::jacobi:
    case LinearMethod::jor:
    case LinearMethod::block_jacobi:
      return make_relaxation(system, {omega});
    case LinearMethod::srj:
      return make_relaxation(system, scheduled_weights(*interval, options.tolerance));
    case LinearMethod::chebyshev_jacobi:
      return make_chebyshev_jacobi(system, *interval, columns);
    case LinearMethod::anderson_jacobi:
      return make_anderson_jacobi(system, omega, options.anderson_depth, options.anderson_period,
                                  columns);
    case LinearMethod::cg:
      return make_cg(system, columns);
    case LinearMethod::minres:
      return make_minres(system, columns);
    case LinearMethod::bicgstab:
    case LinearMethod::automatic:
      break;
  }
  return make_bicgstab(system, columns);
}

}  // namespace cisolve
