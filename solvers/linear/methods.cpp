#include "solvers/linear/methods.hpp"

#include <algorithm>

#include "solvers/linear/linear_problem.hpp"

namespace cisolve {

#include "linear_method_list.inc"

const std::vector<LinearMethodTraits>& linear_methods() {
  static const std::vector<LinearMethodTraits> all = [] {
    std::vector<LinearMethodTraits> list = linear_method_list();
    std::ranges::sort(list, {}, &LinearMethodTraits::method);
    return list;
  }();
  return all;
}

const LinearMethodTraits& traits_of(LinearMethod method) {
  if (method == LinearMethod::automatic) method = LinearMethod::bicgstab;
  return *std::ranges::find(linear_methods(), method, &LinearMethodTraits::method);
}

double relaxation_weight(const LinearOptions& options, const std::optional<Interval>& interval) {
  const Weights weights = traits_of(options.method).weights;
  if (weights == Weights::none || weights == Weights::several) return 0.0;
  if (options.omega > 0.0) return options.omega;
  if (weights != Weights::one && interval) return 2.0 / (interval->lowest + interval->highest);
  return weights == Weights::of_interval ? 0.0 : 1.0;
}

}  // namespace cisolve
