#include "solvers/eigen/scaled_problem.hpp"

#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "spmv/forwarding_operator.hpp"

namespace cisolve {
namespace {

/// fA, f a power of two.
class ScaledOperator final : public ForwardingOperator {
 public:
  ScaledOperator(LinearOperator& a, Backend& backend, double factor)
      : a_(a), backend_(backend), factor_(factor) {}

  void apply(double alpha, ConstView x, double beta, View y) const override {
    a_.apply(alpha * factor_, x, beta, y);
  }
  void diagonal(View d) const override {
    a_.diagonal(d);
    backend_.scale_columns({&factor_, 1}, d);
  }
  double rounding_error() const override { return factor_ * a_.rounding_error(); }

 protected:
  LinearOperator& inner() const override { return a_; }

 private:
  LinearOperator& a_;
  Backend& backend_;
  double factor_;
};

/// The images of a state, times f.
SolverState with_images_scaled(SolverState state, double factor) {
  if (state.upper_bound) *state.upper_bound *= factor;
  if (state.pace) state.pace->norm *= factor;
  state.read = [factor, read = std::move(state.read)](int j, HostMatrix& x, HostMatrix& ax) {
    read(j, x, ax);
    ax *= factor;
  };
  return state;
}

CheckpointHook with_images_scaled(CheckpointHook hook, double factor) {
  if (!hook) return hook;
  return [factor, hook = std::move(hook)](int iterations, bool last,
                                          const std::function<SolverState()>& state) {
    hook(iterations, last, [&] { return with_images_scaled(state(), factor); });
  };
}

/// Shows iterations as of A.
EigenObserver with_energies_scaled(const EigenObserver& observer, double factor) {
  if (!observer) return observer;
  return [&observer, factor, energies = std::vector<double>(),
          norms = std::vector<double>()](const EigenIteration& iteration) mutable {
    const auto scaled = [factor](std::span<const double> x, std::vector<double>& y) {
      y.assign(x.begin(), x.end());
      for (double& value : y) value *= factor;
      return std::span<const double>(y);
    };
    EigenIteration shown = iteration;
    shown.energies = scaled(iteration.energies, energies);
    shown.residual_norms = scaled(iteration.residual_norms, norms);
    return observer(shown);
  };
}

void scale(EigenResult& result, double factor) {
  for (auto* values : {&result.energies, &result.residual_norms, &result.energy_changes}) {
    for (double& value : *values) value *= factor;
  }
  for (double* value : {&result.exclusion.gap, &result.attainable_residual, &result.tolerance,
                        &result.energy_tolerance, &result.scale}) {
    *value *= factor;
  }
}

}  // namespace

EigenResult solve_scaled(LinearOperator& a, Backend& backend, const PSpace& p_space,
                         const EigenOptions& options, const EigenObserver& observer,
                         const EigenSolve& solve) {
  if (options.scale == 1.0) return solve(a, p_space, options, observer);
  int exponent = 0;
  if (!(options.scale > 0.0) || std::frexp(options.scale, &exponent) != 0.5) {
    throw InputError("scale: " + std::to_string(options.scale) + ", expected a power of two");
  }
  const double to = 1.0 / options.scale, back = options.scale;
  ScaledOperator scaled(a, backend, to);
  PSpace p = p_space;
  p.matrix *= to;
  p.inner = nullptr;  // which is of A, not of fA
  EigenOptions inner = options;
  inner.scale = 1.0;
  inner.tolerance = options.residual_tolerance() * to;
  inner.energy_tolerance = options.change_tolerance() * to;
  inner.checkpoint = with_images_scaled(options.checkpoint, back);
  SolverState from;
  if (options.begin_from != nullptr) {
    from = with_images_scaled(*options.begin_from, to);
    inner.begin_from = &from;
  }
  EigenResult result = solve(scaled, p, inner, with_energies_scaled(observer, back));
  scale(result, back);
  return result;
}

}  // namespace cisolve
