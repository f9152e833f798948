// Jacobi's method, and with a weight or blocks: jacobi, jor and block_jacobi differ in ω and M.
#include "solvers/linear/methods.hpp"
#include "solvers/linear/steps/relaxation.hpp"

namespace cisolve {

double relaxation_weight(const LinearOptions& options, const std::optional<Interval>& interval) {
  const Weights weights = traits_of(options.method).weights;
  if (weights == Weights::none || weights == Weights::several) return 0.0;
  if (options.omega > 0.0) return options.omega;
  if (weights != Weights::one && interval) return 2.0 / (interval->lowest + interval->highest);
  return weights == Weights::of_interval ? 0.0 : 1.0;
}

std::unique_ptr<LinearStep> make_jacobi(LinearSystem& system, const LinearOptions& options,
                                        const std::optional<Interval>& interval, int) {
  return std::make_unique<Relaxation>(system, std::vector{relaxation_weight(options, interval)});
}

}  // namespace cisolve
