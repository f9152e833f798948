// Jacobi's method.
#include "solvers/linear/steps/relaxation.hpp"

namespace cisolve {

LinearMethodTraits jacobi_linear_method() {
  return {.method = LinearMethod::jacobi,
          .any_matrix = true,
          .needs_definite = true,
          .weights = Weights::one,
          .patience = patience_of_relaxation,
          .make = make_relaxation};
}

}  // namespace cisolve
