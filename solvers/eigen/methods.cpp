#include "solvers/eigen/methods.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace cisolve {

#include "eigen_method_list.inc"

const EigenMethodTraits& traits_of(EigenMethod method) {
  static const std::vector<EigenMethodTraits> all = eigen_method_list();
  const auto found = std::ranges::find(all, method, &EigenMethodTraits::method);
  if (found == all.end()) throw std::logic_error("an eigensolver without a file of searches/");
  return *found;
}

}  // namespace cisolve
