// Jacobi's method with blocks of the diagonal.
#include "solvers/linear/steps/relaxation.hpp"

namespace cisolve {

LinearMethodTraits block_jacobi_linear_method() {
  return {.method = LinearMethod::block_jacobi,
          .any_matrix = true,
          .needs_definite = true,
          .weights = Weights::of_interval_or_one,
          .patience = patience_of_relaxation,
          .make = make_relaxation};
}

}  // namespace cisolve
