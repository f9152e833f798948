// Jacobi's method with the weight of the interval, over-relaxed.
#include "solvers/linear/steps/relaxation.hpp"

namespace cisolve {

LinearMethodTraits jor_linear_method() {
  return {.method = LinearMethod::jor,
          .needs_definite = true,
          .weights = Weights::of_interval,
          .patience = patience_of_relaxation,
          .make = make_relaxation};
}

}  // namespace cisolve
