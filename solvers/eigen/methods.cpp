#include "solvers/eigen/methods.hpp"

#include <algorithm>
#include <vector>

namespace cisolve {

#include "eigen_method_list.inc"

const EigenMethodTraits& traits_of(EigenMethod method) {
  static const std::vector<EigenMethodTraits> all = eigen_method_list();
  return *std::ranges::find(all, method, &EigenMethodTraits::method);
}

}  // namespace cisolve
